import { memoryStore } from "tollgate";
import type { SyncStore } from "tollgate/store";
import { tableStore } from "tollgate/table";
import { it } from "vitest";
import { twoEnds } from "../stores/shared/two-ends.ts";
import { crowdedTrace } from "./change-trace-arbitrary.ts";
import { playTraces } from "./change-traces.ts";
import { runs } from "./runs.ts";

/** With slots enough for the crowd, since the model has no overflow buckets. */
const STORES: readonly (readonly [name: string, createStores: (maxKeys: number) => readonly SyncStore[]])[] = [
  ["the memory store", () => [memoryStore()]],
  ["the table store", (maxKeys) => [tableStore({ maxKeys })]],
  ["two attachments of a shared store", (maxKeys) => twoEnds({ maxKeys, maxBytes: 2 ** 25 })],
];

it.each(STORES)("random calls through versions of a limiter over %s decide as the model does", (_name, create) => {
  playTraces(() => create(2), runs(1_300));
});

it.each(STORES)("random calls under fifty numbers of one name over %s decide as the model does", (_name, create) => {
  playTraces(() => create(1_000), runs(1_300), crowdedTrace, 10);
});
