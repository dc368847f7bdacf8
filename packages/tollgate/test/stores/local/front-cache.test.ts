import { describe, expect, it } from "vitest";
import { RecentKeys } from "../../../src/stores/local/recent-keys.ts";

const CALLS_OF_REST = 132_000;
/** The cache rests after this many keys that never come again. */
const CALLS_UNTIL_REST = 8_000;

/** Searches a key, keeps it if the cache has a place for it, and returns whether it was there. */
function look(recent: RecentKeys, key: string): boolean {
  const place = recent.find(key);
  if (place >= 0) {
    expect(recent.at(place)).toBe(key);
    expect(recent.values[2 * place]).toBe(key.length);
    expect(recent.values[2 * place + 1]).toBe(key.charCodeAt(0));
    return true;
  }
  const free = recent.placeForMissing();
  if (free < 0) return false;
  recent.keep(free, key);
  recent.values[2 * free] = key.length;
  recent.values[2 * free + 1] = key.charCodeAt(0);
  return false;
}

function keysOf(count: number, name = "client"): string[] {
  return Array.from({ length: count }, (_, i) => `${i % 10}-${name}-${i}`);
}

/** How many of these calls on the keys in turn found their key. */
function hitsOf(recent: RecentKeys, keys: readonly string[], calls: number): number {
  let hits = 0;
  for (let call = 0; call < calls; call += 1) if (look(recent, keys[call % keys.length] ?? "")) hits += 1;
  return hits;
}

describe("the front cache", () => {
  it("takes no memory before the first calls", () => {
    const recent = new RecentKeys(2);
    hitsOf(recent, keysOf(10), 60);
    expect(recent.values.length).toBe(0);
    hitsOf(recent, keysOf(10), 10);
    expect(recent.values.length).toBe(2 * 4096);
  });

  it("knows keys from their second call on", () => {
    const recent = new RecentKeys(2);
    hitsOf(recent, keysOf(1), 64);
    hitsOf(recent, keysOf(400), 400);
    expect(hitsOf(recent, keysOf(400), 400)).toBeGreaterThan(360);
  });

  it("takes no memory if its store has too little", () => {
    const asked: number[] = [];
    const recent = new RecentKeys(2, (bytes) => asked.push(bytes) < 0);
    hitsOf(recent, keysOf(10), 100);
    expect(asked).toEqual([4096 * (8 + 4 + 2 * 4) + 4 * 257]);
    expect(recent.values.length).toBe(0);
  });

  it("rests if keys do not come again, and keeps none of them", () => {
    const recent = new RecentKeys(2);
    hitsOf(recent, keysOf(CALLS_UNTIL_REST), CALLS_UNTIL_REST);
    const [again = ""] = keysOf(1, "another");
    for (let call = 0; call < 10; call += 1) expect(look(recent, again)).toBe(false);
    expect(recent.placeForMissing()).toBe(-1);
  });

  it("wakes up again without its old keys", () => {
    const recent = new RecentKeys(2);
    hitsOf(recent, keysOf(CALLS_UNTIL_REST), CALLS_UNTIL_REST);
    expect(hitsOf(recent, keysOf(20, "another"), CALLS_OF_REST)).toBeLessThan(10_000);
    expect(hitsOf(recent, keysOf(20, "another"), 20)).toBe(20);
    const first = keysOf(20);
    expect(first.filter((key) => look(recent, key))).toEqual([]);
  });

  it.each<[string, (i: number) => string]>([
    ["a constant ending", (i) => `2001:db8:${(7 * i).toString(16)}:${i.toString(16)}::/64`],
    ["a long constant ending", (i) => `client${i}@department.company.example.com`],
    ["long constant parts around the middle", (i) => `${"x".repeat(90)}${i + 10_000}${"y".repeat(100)}`],
  ])("learns where keys with %s differ", (_what, keyOf) => {
    const recent = new RecentKeys(2);
    const keys = Array.from({ length: 400 }, (_, i) => keyOf(i));
    hitsOf(recent, keys, 20_000);
    expect(hitsOf(recent, keys, 400)).toBeGreaterThan(360);
  });

  it("copies few keys that it cannot tell apart, and rests", () => {
    const recent = new RecentKeys(2);
    // Any five units have few values.
    const units = (i: number) => i.toString(2).padStart(16, "0").repeat(16);
    const keys = Array.from({ length: 6_000 }, (_, i) => units(11 * i));
    let copies = 0;
    for (let call = 0; call < 130_000; call += 1) {
      const key = keys[(call * 7919) % keys.length] ?? "";
      if (recent.find(key) >= 0) continue;
      const place = recent.placeForMissing();
      if (place < 0) continue;
      recent.keep(place, key);
      copies += 1;
    }
    expect(copies).toBeLessThan(2_000);
    expect(recent.placeForMissing()).toBe(-1);
  });
});
