import { createLimiter, fixedWindow, perDay, tokenBucket } from "tollgate";
import { sharedStore } from "tollgate/shared";
import { manualClock } from "tollgate/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SharedMemory } from "../../../src/stores/shared/shared-memory.ts";
import { WRITE_SLOTS, WriteSlots } from "../../../src/stores/shared/write-slots.ts";

class Death extends Error {}

function die(): never {
  throw new Death();
}

/** The points of a publication at which a thread dies. */
const DEATHS = {
  "after it has acquired a write slot": () => vi.spyOn(WriteSlots.prototype, "blockOf").mockImplementationOnce(die),
  "before it records its next block": () => vi.spyOn(WriteSlots.prototype, "setNextBlock").mockImplementationOnce(die),
  "after it has recorded its next block": () => {
    const { setNextBlock } = WriteSlots.prototype;
    return vi.spyOn(WriteSlots.prototype, "setNextBlock").mockImplementationOnce(function (
      this: WriteSlots,
      writeSlot,
      block,
    ) {
      setNextBlock.call(this, writeSlot, block);
      vi.spyOn(SharedMemory.prototype, "swap").mockImplementationOnce(die);
    });
  },
  "after it has published": () => vi.spyOn(WriteSlots.prototype, "setBlock").mockImplementationOnce(die),
  "before it releases its write slot": () => vi.spyOn(WriteSlots.prototype, "release").mockImplementationOnce(die),
} as const;

const KINDS = Object.keys(DEATHS) as (keyof typeof DEATHS)[];
const CAPACITY = 100_000;
const LIMITS = [perDay(CAPACITY), fixedWindow({ limit: CAPACITY, window: "1d" })];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function twoLimits() {
  const store = sharedStore({ maxKeys: 10 });
  const clock = manualClock(1_790_000_000_123);
  const limiter = createLimiter({ name: "api", limits: LIMITS, store, clock });
  /** The units that both limits count: always the same number. */
  const used = (key: string) => {
    const [bucket, window] = limiter.explain(key);
    expect(bucket?.used).toBe(window?.used);
    return bucket?.used ?? 0;
  };
  const dies = (kind: keyof typeof DEATHS, key: string) => {
    const spy = DEATHS[kind]();
    expect(() => limiter.allow(key)).toThrow(Death);
    spy.mockRestore();
    vi.restoreAllMocks();
  };
  return { limiter, used, dies };
}

describe("a shared store whose threads die in the middle of a call", () => {
  it.each(KINDS)("leaves the key as before or as after the call: death %s", (kind) => {
    const { limiter, used, dies } = twoLimits();
    limiter.allow("ann", 5);
    dies(kind, "ann");
    const counts = kind === "after it has published" || kind === "before it releases its write slot";
    expect(used("ann")).toBe(counts ? 6 : 5);
    limiter.allow("ann");
    expect(used("ann")).toBe(counts ? 7 : 6);
  });

  it("goes on counting exactly after more deaths than there are write slots", () => {
    const { limiter, used, dies } = twoLimits();
    let expected = 0;
    for (let deaths = 0; deaths < 3 * WRITE_SLOTS; deaths += 1) {
      const kind = KINDS[deaths % KINDS.length]!;
      const key = `client ${deaths % 7}`;
      const before = used(key);
      dies(kind, key);
      const after = used(key);
      expect(after - before).toBe(
        kind === "after it has published" || kind === "before it releases its write slot" ? 1 : 0,
      );
      expect(limiter.allow(key)).toBe(true);
      expected += after - before + 1;
      vi.advanceTimersByTime(100);
    }
    const total = Array.from({ length: 7 }, (_, i) => used(`client ${i}`)).reduce((sum, one) => sum + one, 0);
    expect(total).toBe(expected);
  });
});

describe("a shared store whose write slots dead threads occupy", () => {
  it("denies calls without counting them until it has recovered the write slots", () => {
    const { limiter, used, dies } = twoLimits();
    limiter.allow("ann", 5);
    for (let deaths = 0; deaths < WRITE_SLOTS; deaths += 1) dies("after it has recorded its next block", "ann");
    expect(limiter.consume("ann")).toMatchObject({ allowed: false, reason: "store-full" });
    expect(limiter.consume("new")).toMatchObject({ allowed: false, reason: "store-full" });
    expect([used("ann"), used("new")]).toEqual([5, 0]);
    const seconds = Array.from({ length: 40 }, () => {
      vi.advanceTimersByTime(1_000);
      return limiter.allow("ann");
    });
    expect(seconds.indexOf(true)).toBeGreaterThan(15);
    expect(seconds.slice(25)).not.toContain(false);
    expect(used("ann")).toBe(5 + seconds.filter(Boolean).length);
  });
});

describe("a shared store with limits of one cell", () => {
  it("needs no write slot", () => {
    const acquire = vi.spyOn(WriteSlots.prototype, "acquire");
    const limits = [tokenBucket({ capacity: 2, refill: 1, per: "1s" })];
    const limiter = createLimiter({ name: "api", limits, store: sharedStore({ maxKeys: 10 }) });
    limiter.allow("ann");
    expect(acquire).not.toHaveBeenCalled();
  });
});
