import { createLimiter, type Limit, perMinute, type TollgateError } from "tollgate";
import { type SharedStore, sharedStore } from "tollgate/shared";
import { beforeEach, describe, expect, it } from "vitest";
import { HEADER_WORDS, MOST_PLANS, PLAN_ROW, PLANS_AT } from "../../../src/stores/shared/memory-layout.ts";
import { errorOf } from "../../error-of.ts";
import { bufferOf, useNoWebAssembly } from "./two-ends.ts";

/** Too little for any table. */
const HEADER_BYTES = HEADER_WORDS * 4;
const FEW_BYTES = HEADER_BYTES + 4_000;

/** A list of this many token buckets, of one cell each. */
function buckets(cells: number): Limit[] {
  return Array.from({ length: cells }, (_, i) => perMinute(1, { name: `limit-${i}` }));
}

const make = (store: SharedStore, cells: number) =>
  createLimiter({ name: `of ${cells} cells`, limits: buckets(cells), store });

function bytesNamedBy({ code, message }: TollgateError): number {
  expect(code).toBe("ERR_LIMITS");
  return Number(/ pass sharedStore\(\{ maxBytes: (\d+) \}\) or more/.exec(message)?.[1]);
}

/** WebAssembly memory comes in pages, so a store may have more of it than requested. */
beforeEach(useNoWebAssembly);
/** For fewer keys the default is more than they need. */
const MILLION = 1_000_000;

describe("the default memory of a shared store", () => {
  it("is enough for limiters of one cell and for others of up to eight", () => {
    for (const cells of [2, 5, 8]) {
      const store = sharedStore({ maxKeys: 2 * MILLION });
      expect([make(store, 1).allow("ann"), make(store, cells).allow("ann")]).toEqual([true, true]);
      expect(() => make(store, cells === 8 ? 7 : 8)).toThrow(expect.objectContaining({ code: "ERR_LIMITS" }));
      expect(make(store, 1).allow("bob")).toBe(true);
    }
  });
});

describe("limits that do not fit into a shared store", () => {
  it.each([
    [1, 1],
    [1, 2],
    [1_000, 2],
    [1_000, 9],
    [77_777, 20],
  ])("cause an error with the least sufficient maxBytes: %d keys of %d cells", (maxKeys, cells) => {
    const error = errorOf(() => make(sharedStore({ maxKeys, maxBytes: FEW_BYTES }), cells));
    expect(error.message).toMatch(
      `room in the shared store for ${maxKeys} keys of ${cells} cells, got ${FEW_BYTES} bytes`,
    );
    const maxBytes = bytesNamedBy(error);
    expect(make(sharedStore({ maxKeys, maxBytes }), cells).allow("ann")).toBe(true);
    expect(() => make(sharedStore({ maxKeys, maxBytes: maxBytes - 8 }), cells)).toThrow(
      expect.objectContaining({ code: "ERR_LIMITS" }),
    );
  });
});

describe("a shared store with too many lists of limits", () => {
  it("throws for new lists and goes on with known ones", () => {
    const store = sharedStore({ maxKeys: 100 });
    const known = make(store, 1);
    known.allow("ann");
    const words = new Int32Array(bufferOf(store));
    for (let row = 0; row < MOST_PLANS; row += 1) words[PLANS_AT + row * PLAN_ROW + 1] ||= 1;
    const error = errorOf(() => createLimiter({ name: "another", limits: [perMinute(1)], store }));
    expect([error.name, error.code]).toEqual(["TollgateError", "ERR_LIMITS"]);
    expect(error.message).toMatch(/^limits: expected .+ lists of limits .+, got /);
    expect([known.allow("ann"), make(sharedStore.attach(store.handle), 1).allow("bob")]).toEqual([false, true]);
    expect(store.size).toBe(2);
  });
});
