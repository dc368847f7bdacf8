import {
  createLimiter,
  fixedWindow,
  type Limit,
  type LocalStore,
  memoryStore,
  perDay,
  perMinute,
  perSecond,
  tokenBucket,
} from "tollgate";
import { sharedStore } from "tollgate/shared";
import { tableStore } from "tollgate/table";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../../start-ms.ts";

const MAX_KEYS = 32;
/** How much later a shared store may reuse a slot for an attachment that does not know the plan. */
const LATE_MS = 1;

type Store = LocalStore & { readonly maxKeys: number };

/** All stores of this process that bound their keys. */
const STORES: readonly (readonly [kind: string, create: () => Store])[] = [
  ["memory", () => memoryStore({ maxKeys: MAX_KEYS, overflow: "deny" })],
  ["table", () => tableStore({ maxKeys: MAX_KEYS, overflow: "deny" })],
  ["shared", () => sharedStore({ maxKeys: MAX_KEYS, overflow: "deny", maxBytes: 2 ** 24 })],
];

/** The last item is how long one unit counts. */
const LISTS: readonly (readonly [name: string, limits: readonly Limit[], unitMs: number])[] = [
  ["a bucket of an exact scale", [perSecond(5)], 200],
  ["a bucket of 1,001 a day", [perDay(1001)], 86_400_000 / 1001],
  ["a bucket of 11 a minute", [perMinute(11)], 60_000 / 11],
  ["a bucket of a million and three a week", [tokenBucket({ capacity: 9, refill: 1_000_003, per: "7d" })], 604.8],
  ["a bucket and a window", [perDay(1001), fixedWindow({ limit: 9, window: "1h", anchor: "first-use" })], 3_600_000],
];

function keys(count: number, prefix: string): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
}

describe.each(STORES)("a full %s store", (_kind, create) => {
  it.each(LISTS)("gives slots to other limiters as soon as its keys are idle: %s", (_name, limits, unitMs) => {
    const clock = manualClock(START_MS);
    const store = create();
    const flooded = createLimiter({ name: "flooded", limits, clock, store });
    for (const key of keys(1_000, "flood")) flooded.allow(key);
    expect(flooded.allow("one more")).toBe(false);
    const other = createLimiter({ name: "other", limits, clock, store });
    clock.advance(unitMs - LATE_MS);
    expect(keys(MAX_KEYS, "early").filter((key) => other.allow(key))).toEqual([]);
    clock.advance(2 * LATE_MS);
    expect(keys(MAX_KEYS, "new").filter((key) => other.allow(key))).toHaveLength(MAX_KEYS);
  });
});
