import { createLimiter, fixedWindow, perDay } from "tollgate";
import { sharedStore } from "tollgate/shared";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, vi } from "vitest";
import { BlockValues } from "../../../src/stores/shared/block-values.ts";
import { SharedMemory } from "../../../src/stores/shared/shared-memory.ts";
import { WRITE_SLOTS, WriteSlots } from "../../../src/stores/shared/write-slots.ts";

class Death extends Error {}

function die(): never {
  throw new Death();
}

/** The points of a publication at which a thread dies. */
const DEATHS = {
  "after it has occupied a write slot": () => {
    const { acquire } = WriteSlots.prototype;
    return vi.spyOn(WriteSlots.prototype, "acquire").mockImplementationOnce(function (this: WriteSlots) {
      acquire.call(this);
      die();
    });
  },
  "after it has written the cells": () => {
    const { publish } = BlockValues.prototype;
    return vi.spyOn(BlockValues.prototype, "publish").mockImplementationOnce(function (this: BlockValues, ...state) {
      vi.spyOn(SharedMemory.prototype, "swap").mockImplementationOnce(die);
      return publish.call(this, ...state);
    });
  },
  "after it has published": () => vi.spyOn(WriteSlots.prototype, "release").mockImplementationOnce(die),
} as const;

const KINDS = Object.keys(DEATHS) as (keyof typeof DEATHS)[];
const CAPACITY = 100_000;
const LIMITS = [perDay(CAPACITY), fixedWindow({ limit: CAPACITY, window: "1d" })];

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
    DEATHS[kind]();
    expect(() => limiter.allow(key)).toThrow(Death);
    vi.restoreAllMocks();
  };
  return { limiter, used, dies };
}

describe("a shared store whose threads die in the middle of a call", () => {
  it("counts exactly while a write slot is left, and denies without counting when none is", () => {
    const { limiter, used, dies } = twoLimits();
    const expected = new Map<string, number>();
    for (let deaths = 0; deaths < WRITE_SLOTS; deaths += 1) {
      const kind = KINDS[deaths % KINDS.length]!;
      const key = `client ${deaths % 7}`;
      expect(limiter.allow(key)).toBe(true);
      dies(kind, key);
      expected.set(key, (expected.get(key) ?? 0) + (kind === "after it has published" ? 2 : 1));
    }
    for (const [key, units] of expected) {
      expect(used(key)).toBe(units);
      expect(limiter.consume(key)).toMatchObject({ allowed: false, reason: "store-full" });
      expect(used(key)).toBe(units);
    }
    expect(limiter.consume("new")).toMatchObject({ allowed: false, reason: "store-full" });
    expect(used("new")).toBe(0);
  });
});
