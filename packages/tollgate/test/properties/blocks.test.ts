import { memoryStore } from "tollgate";
import { tableStore } from "tollgate/table";
import { describe, it } from "vitest";
import { playBlocks } from "./block-traces.ts";

const OPERATIONS = 3_000;

describe.each([
  ["a memory store", () => memoryStore()],
  ["a table store", () => tableStore({ maxKeys: 1_000 })],
])("a trace with blocks over %s", (_name, createStore) => {
  it("equals the model", async () => playBlocks(createStore(), 99, OPERATIONS));
});
