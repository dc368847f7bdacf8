import { describe, expect, it } from "vitest";
import { RecentKeys } from "../../../src/stores/local/recent-keys.ts";

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
});
