import { sharedStore } from "tollgate/shared";
import { describe, it } from "vitest";
import { checkBatch, checkHandle } from "./many-limits.ts";

// A plan in shared memory is a row of a table that is searched, and thousands of plans take it half a minute.
const createStore = () => sharedStore({ maxKeys: 100_000, maxBytes: 2 ** 30 });

describe("limits chosen per call over the shared store", () => {
  it("let a handle count under its key after calls under thousands of other limits", () => checkHandle(createStore));

  it("let a batch count each input under a limit of its own", () => checkBatch(createStore));
});
