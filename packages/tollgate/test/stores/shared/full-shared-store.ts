import { fixedWindow, type Limit, type Limiter, perMinute } from "tollgate";
import { expect } from "vitest";

/** The slots of a store for one key. */
export const SLOTS = 32;
export const BUCKETS = 256;

export const LISTS: readonly (readonly [name: string, limits: readonly Limit[]])[] = [
  ["one cell", [perMinute(2)]],
  ["several cells", [perMinute(2), fixedWindow({ limit: 50, window: "1m", anchor: "first-use" })]],
];

export function keys(count: number, prefix = "new"): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
}

/** Fills all slots before any key gets into an overflow bucket. */
export function fill(limiter: Limiter): string[] {
  const fillers = keys(10_000, "filler").filter((key) => limiter.size < SLOTS && !findsNoSlot(limiter, key));
  expect(limiter.size).toBe(SLOTS);
  return fillers;
}

function findsNoSlot(limiter: Limiter, key: string): boolean {
  const decision = limiter.peek(key);
  if (decision.overflowed === true || !decision.allowed) return true;
  limiter.charge(key, 2);
  return false;
}
