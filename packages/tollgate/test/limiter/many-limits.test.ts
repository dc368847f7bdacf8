import { describe, it } from "vitest";
import { EVERY_STORE } from "./every-store.ts";
import { checkBatch, checkHandle } from "./many-limits.ts";
import { plainStore } from "./plain-store.ts";

// Over the shared store it takes half a minute: `many-limits.deep.test.ts`.
const QUICK_STORES = EVERY_STORE.filter(([name]) => name !== "the shared store");
const STORES: typeof EVERY_STORE = [...QUICK_STORES, ["a store without batches", () => plainStore()]];

describe.each(STORES)("limits chosen per call over %s", (_name, createStore) => {
  it("let a handle count under its key after calls under thousands of other limits", () => checkHandle(createStore));

  it("let a batch count each input under a limit of its own", () => checkBatch(createStore));
});
