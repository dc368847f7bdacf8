import { createLimiter, memoryStore, perMinute, type RoomOptions, slidingWindow } from "tollgate";
import { type SharedStoreOptions, sharedStore } from "tollgate/shared";
import { type TableStoreOptions, tableStore } from "tollgate/table";
import { describe, expect, it } from "vitest";

/** Stores by functions that check what the compiler would not let through. */
const STORES: readonly (readonly [string, (options: unknown) => unknown])[] = [
  ["memoryStore", (options) => memoryStore(options as RoomOptions)],
  ["tableStore", (options) => tableStore(options as TableStoreOptions)],
  ["sharedStore", (options) => sharedStore(options as SharedStoreOptions)],
];

function refusal(message: string, code = "ERR_OPTION") {
  return expect.objectContaining({ name: "TollgateError", code, message });
}

describe.each(STORES)("the options of %s", (name, create) => {
  it.each([
    [null, "null"],
    [5, "5"],
    ["100", '"100"'],
  ])("are no %j", (options, shown) => {
    expect(() => create(options)).toThrow(refusal(`${name}: expected an object of options, got ${shown}`));
  });

  it.each([
    [0, "0"],
    [-1, "-1"],
    [1.5, "1.5"],
    [10_000_001, "10000001"],
    [Number.NaN, "NaN"],
    [Number.POSITIVE_INFINITY, "Infinity"],
    ["100", '"100"'],
    [null, "null"],
  ])("have no maxKeys of %s", (maxKeys, shown) => {
    expect(() => create({ maxKeys })).toThrow(
      refusal(`maxKeys: expected a whole number from 1 to 10000000, got ${shown}`),
    );
  });

  it.each([
    ["drop", '"drop"'],
    ["", '""'],
    [true, "true"],
    [null, "null"],
  ])("have no overflow of %j", (overflow, shown) => {
    expect(() => create({ maxKeys: 10, overflow })).toThrow(
      refusal(`overflow: expected "share" or "deny", got ${shown}`),
    );
  });

  it.each([1, 10_000_000])("may have maxKeys of %d, which the store tells", (maxKeys) => {
    expect(create({ maxKeys, overflow: "deny" })).toMatchObject({ kind: "sync", maxKeys, size: 0, overflowed: 0 });
  });
});

describe("maxKeys", () => {
  it("is a million for a memory store", () => {
    expect(memoryStore().maxKeys).toBe(1_000_000);
  });

  it("has to be told to a table", () => {
    expect(() => tableStore({} as TableStoreOptions)).toThrow(
      refusal("maxKeys: expected a whole number from 1 to 10000000, got undefined"),
    );
    expect(() => tableStore(undefined as unknown as TableStoreOptions)).toThrow(
      refusal("tableStore: expected an object of options, got undefined"),
    );
  });

  it("and limits of many cells are refused together when a limiter is made, and the store stays as it was", () => {
    const store = tableStore({ maxKeys: 10_000_000 });
    // 2 cells for each of 64 groups and 2 more.
    const limits = [slidingWindow({ limit: 64, window: "1m" })];
    expect(() => createLimiter({ limits, store })).toThrow(
      refusal(
        "limits: expected at most 47 cells a key in a table for 10000000 keys, and 23760000048 bytes of memory to be had, " +
          "got limits of 134 cells; use fewer keys, fewer limits or a coarser resolution, or memoryStore()",
        "ERR_LIMITS",
      ),
    );
    expect(store.size).toBe(0);
    const small = tableStore({ maxKeys: 1_000 });
    expect(createLimiter({ limits, store: small }).allow("a")).toBe(true);
  });

  it("takes no memory before a limiter is made", () => {
    const stores = Array.from({ length: 100 }, () => tableStore({ maxKeys: 10_000_000 }));
    expect(stores.every(({ size }) => size === 0)).toBe(true);
    expect(process.memoryUsage().arrayBuffers).toBeLessThan(1e9);
  });

  it("leaves a store usable with `using`", () => {
    using store = tableStore({ maxKeys: 10 });
    expect(createLimiter({ limits: [perMinute(1)], store }).allow("a")).toBe(true);
  });
});
