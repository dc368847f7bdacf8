import { describe, expect, it } from "vitest";
import { KeyPool } from "../workloads/key-pool.ts";
import { drawIn, type Order } from "../workloads/order.ts";

const KEYS = 1_000;

function drawn(order: Order, count: number): number[] {
  const indices = new Uint32Array(count);
  drawIn(order, KEYS)(indices);
  return [...indices];
}

function countsOf(indices: readonly number[]): number[] {
  const counts = new Array<number>(KEYS).fill(0);
  for (const index of indices) counts[index]! += 1;
  return counts;
}

describe("a key pool", () => {
  it("has different addresses", () => {
    const pool = new KeyPool(100_000);
    const keys = Array.from({ length: pool.count }, (_, index) => pool.key(index));
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.every((key) => /^(?:\d{1,3}\.){3}\d{1,3}$/.test(key))).toBe(true);
  });

  it("has the same ones each time", () => {
    expect(new KeyPool(3).key(2)).toBe(new KeyPool(2_000).key(2));
  });
});

describe("an order", () => {
  it.each(["uniform", "zipf", "in turn"] as const)("%s is the same each time, and stays among the keys", (order) => {
    expect(drawn(order, 5_000)).toEqual(drawn(order, 5_000));
    expect(Math.max(...drawn(order, 5_000))).toBeLessThan(KEYS);
  });

  it("in turn has each key as often", () => {
    expect(drawn("in turn", KEYS + 2)).toEqual([...Array.from({ length: KEYS }, (_, i) => i), 0, 1]);
  });

  it("uniform has each key about as often", () => {
    const counts = countsOf(drawn("uniform", 100 * KEYS));
    expect(Math.min(...counts)).toBeGreaterThan(50);
    expect(Math.max(...counts)).toBeLessThan(150);
  });

  it("zipf has the first rank twice as often as the second, and ten times as often as the tenth", () => {
    const counts = countsOf(drawn("zipf", 1_000 * KEYS)).sort((a, b) => b - a);
    expect(counts[0]! / counts[1]!).toBeCloseTo(2, 1);
    expect(counts[0]! / counts[9]!).toBeCloseTo(10, 0);
    expect(counts.every((count) => count > 0)).toBe(true);
  });
});
