import { type CapacityOptions, createLimiter, type LocalStore, memoryStore, perMinute, slidingWindow } from "tollgate";
import { type SharedStoreOptions, sharedStore } from "tollgate/shared";
import { type TableStoreOptions, tableStore } from "tollgate/table";
import { describe, expect, it } from "vitest";

/** Constructors that accept options of wrong types. */
const STORES: readonly (readonly [string, (options: unknown) => unknown])[] = [
  ["memoryStore", (options) => memoryStore(options as CapacityOptions)],
  ["tableStore", (options) => tableStore(options as TableStoreOptions)],
  ["sharedStore", (options) => sharedStore(options as SharedStoreOptions)],
];

function refusal(message: string) {
  return expect.objectContaining({ name: "TollgateError", code: "ERR_OPTION", message });
}

describe.each(STORES)("the options of %s", (name, create) => {
  it.each([
    [null, "null"],
    ["100", '"100"'],
  ])("are no %j", (options, shown) => {
    expect(() => create(options)).toThrow(
      refusal(`${name}: expected an object of options, got ${shown}; write { maxKeys: 100_000 }`),
    );
  });

  // wrong-values.test.ts tries values of every type.
  it.each<[string, unknown, string]>([
    ["maxKeys", 1.5, "a whole number from 1 to 10000000, got 1.5"],
    ["maxKeys", 10_000_001, "a whole number from 1 to 10000000, got 10000001"],
    ["overflow", "drop", '"share" or "deny", got "drop"'],
    ["maxBytes", 1_000, "a whole number from \\d+ to \\d+, got 1000"],
    ["maxBytes", 1_000_000_000.5, "a whole number from \\d+ to \\d+, got 1000000000.5"],
    ["maxBytes", 2 ** 41, "a whole number from \\d+ to \\d+, got 2199023255552"],
  ])("have no %s of %j", (option, value, expected) => {
    const message = expect.stringMatching(`^${option}: expected ${expected}$`);
    expect(() => create({ maxKeys: 10, [option]: value })).toThrow(
      expect.objectContaining({ name: "TollgateError", code: "ERR_OPTION", message }),
    );
  });

  it("accept maxBytes, which the store reports together with the bytes in use", () => {
    const store = create({ maxKeys: 10, maxBytes: 2 ** 26 }) as LocalStore;
    expect(store.maxBytes).toBe(2 ** 26);
    const unused = store.bytes;
    createLimiter({ name: "api", limits: [perMinute(1)], store }).allow("a");
    expect(store.bytes).toBeGreaterThan(unused);
    expect(store.bytes).toBeLessThan(6_500_000);
  });

  it.each([1, 10_000_000])("accept maxKeys of %d, which the store reports", (maxKeys) => {
    expect(create({ maxKeys, overflow: "deny" })).toMatchObject({ kind: "sync", maxKeys, size: 0, overflowCount: 0 });
  });
});

describe("the default of maxBytes", () => {
  it("is at least 256 MiB", () => {
    const stores = [memoryStore(), tableStore({ maxKeys: 100_000 }), sharedStore({ maxKeys: 100_000 })];
    expect(stores.map(({ maxBytes }) => maxBytes)).toEqual([2 ** 28, 2 ** 28, 2 ** 28]);
  });
});

describe("maxKeys", () => {
  it("is a million for a memory store", () => {
    expect(memoryStore().maxKeys).toBe(1_000_000);
  });

  it.each(STORES.slice(1))("is required by %s", (name, create) => {
    expect(() => create({})).toThrow(refusal("maxKeys: expected a whole number from 1 to 10000000, got undefined"));
    expect(() => create(undefined)).toThrow(
      refusal(`${name}: expected an object of options, got undefined; write { maxKeys: 100_000 }`),
    );
  });

  it("of a table is too large for limits of many cells: the error changes nothing in the store", () => {
    const store = tableStore({ maxKeys: 10_000_000 });
    // A ring has 2 cells for each of 64 groups, and 2 more.
    const limits = [slidingWindow({ limit: 64, window: "1m" })];
    const unused = store.bytes;
    const refused = /^limits: .+ left of maxBytes .+ for 10000000 keys of 134 cells; pass .+maxBytes: (\d+).+ or more/;
    expect(() => createLimiter({ limits, store })).toThrow(refused);
    expect([store.size, store.bytes]).toEqual([0, unused]);
    const ample = tableStore({ maxKeys: 10_000_000, maxBytes: 2 ** 40 });
    expect(() => createLimiter({ limits, store: ample })).toThrow(
      /^limits: expected a table of at most 4294967296 bytes/,
    );
    expect(ample.bytes).toBe(unused);
    const small = tableStore({ maxKeys: 1_000 });
    expect(createLimiter({ limits, store: small }).allow("a")).toBe(true);
  });
});
