import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KeyPlaces, TablePlaces } from "../../src/stores/local/key-places.ts";

const TABLES = 6;

/** Hashes of one part; few of them, and many that begin probing at the same places. */
const hash = fc.oneof(fc.nat(3), fc.nat(200), fc.nat(2 ** 16), fc.constantFrom(2 ** 31 - 1, -1, -(2 ** 31)));
const steps = fc.array(
  fc.record({
    table: fc.nat(TABLES - 1),
    verb: fc.constantFrom(...(["add", "add", "add", "add", "add many", "delete", "delete many", "clear"] as const)),
    hash,
  }),
  { maxLength: 120, size: "max" },
);

/** An index of keys, and what has to be in it: a list of hashes for each table. */
function setUp() {
  const charged = { bytes: 0, most: 0 };
  const index = new KeyPlaces<number>((bytes) => {
    charged.bytes += bytes;
    charged.most = Math.max(charged.most, charged.bytes);
  });
  const places = Array.from({ length: TABLES }, (_, table) => new TablePlaces(index, table));
  const keys = Array.from({ length: TABLES }, (): number[] => []);
  return { charged, index, places, keys };
}

describe("an index of the keys of many tables", () => {
  it("names every table that has a key, no table without the hash, and takes the bytes that it has announced", () => {
    const property = fc.property(steps, (played) => {
      const { charged, index, places, keys } = setUp();
      const add = (table: number, one: number) => {
        const most = charged.bytes + (places[table]?.bytesForNext(one) ?? 0);
        places[table]?.add(one);
        keys[table]?.push(one);
        expect(charged.bytes).toBeLessThanOrEqual(most);
      };
      for (const { table, verb, hash: one } of played) {
        const own = keys[table] ?? [];
        if (verb === "add") add(table, one);
        else if (verb === "add many") for (let i = 0; i < 40; i += 1) add(table, (one + 3 * i) | 0);
        else if (verb === "clear") {
          places[table]?.clear();
          own.length = 0;
        } else {
          for (let left = verb === "delete" ? 1 : 30; left > 0 && own.length > 0; left -= 1) {
            const [removed = 0] = own.splice(one % 2 === 0 ? 0 : own.length - 1, 1);
            places[table]?.delete(removed);
          }
        }
        for (const asked of new Set([one, (one + 3) | 0, ...own.slice(0, 5), ...own.slice(-5)])) {
          const found = index.tablesOf(asked).toSorted((first, second) => first - second);
          expect(found).toEqual(keys.flatMap((all, at) => all.filter((some) => some === asked).map(() => at)));
        }
      }
      for (const table of places) table.clear();
      expect(charged.bytes).toBe(0);
    });
    fc.assert(property, { numRuns: 300 });
  });

  it("takes no bytes for keys that were cleared long ago", () => {
    const { charged, index, places } = setUp();
    places[0]?.add(0);
    for (let round = 0; round < 100; round += 1) {
      for (let i = 0; i < 100; i += 1) places[1]?.add(i);
      places[1]?.clear();
    }
    expect(index.tablesOf(0)).toEqual([0]);
    expect(charged.most).toBeLessThan(2 ** 13);
  });
});
