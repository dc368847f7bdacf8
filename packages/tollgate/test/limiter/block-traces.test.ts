import { describe, it } from "vitest";
import { playBlocks } from "../properties/block-traces.ts";
import { runs } from "../properties/runs.ts";
import { EVERY_STORE } from "./every-store.ts";

const OPERATIONS = 4_000;

describe.each(EVERY_STORE)("random traces with blocks over %s", (_name, createStore) => {
  it("equal the model", async () => {
    const store = createStore();
    if (store.blocks === undefined) return;
    for (let seed = 0; seed < runs(1); seed += 1) await playBlocks(store, seed, OPERATIONS);
  });
});
