import { memoryStore } from "tollgate";
import { sharedStore } from "tollgate/shared";
import { tableStore } from "tollgate/table";
import { it } from "vitest";
import { crowdedTrace } from "./change-trace-arbitrary.ts";
import { IN_PROCESS, playTraces } from "./change-traces.ts";
import { runs } from "./runs.ts";

/** With slots enough for the crowd, since the model has no overflow buckets. */
const LARGE = [
  ["the memory store", () => memoryStore()],
  ["the table store", () => tableStore({ maxKeys: 1_000 })],
  ["the shared store", () => sharedStore({ maxKeys: 1_000 })],
] as const;

it.each(IN_PROCESS)("random calls through versions of a limiter over %s decide as the model does", (_name, create) => {
  playTraces(create, runs(10_000));
});

it.each(LARGE)("random calls under fifty numbers of one name over %s decide as the model does", (_name, create) => {
  playTraces(create, runs(10_000), crowdedTrace, 10);
});
