import { memoryStore } from "tollgate";
import { tableStore } from "tollgate/table";
import { describe, it } from "vitest";
import { playLines } from "./line-traces.ts";
import { runs } from "./runs.ts";

const TRACES = runs(8);
const OPERATIONS = 400;

describe.each([
  ["a memory store", () => memoryStore()],
  ["a table store", () => tableStore({ maxKeys: 1_000 })],
])("calls that wait over %s", (_name, createStore) => {
  it("end as in the model, in the same order and at the same time", async () => {
    for (let seed = 0; seed < TRACES; seed += 1) await playLines(createStore, seed, OPERATIONS);
  });
});
