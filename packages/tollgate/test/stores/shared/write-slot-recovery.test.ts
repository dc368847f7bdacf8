import { createLimiter, fixedWindow, perDay, tokenBucket } from "tollgate";
import { sharedStore } from "tollgate/shared";
import { manualClock } from "tollgate/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DESKS, Desks } from "../../../src/stores/shared/write-slots.ts";
import { SharedMemory } from "../../../src/stores/shared/shared-memory.ts";

class Death extends Error {}

function die(): never {
  throw new Death();
}

/** Where a thread dies in the middle of publishing. */
const DEATHS = {
  "at a desk": () => vi.spyOn(Desks.prototype, "blockAt").mockImplementationOnce(die),
  "before it publishes": () => vi.spyOn(Desks.prototype, "noteNext").mockImplementationOnce(die),
  "when it has noted what it will get": () => {
    const { noteNext } = Desks.prototype;
    return vi.spyOn(Desks.prototype, "noteNext").mockImplementationOnce(function (this: Desks, desk, block) {
      noteNext.call(this, desk, block);
      vi.spyOn(SharedMemory.prototype, "swap").mockImplementationOnce(die);
    });
  },
  "when it has published": () => vi.spyOn(Desks.prototype, "keep").mockImplementationOnce(die),
  "before it leaves": () => vi.spyOn(Desks.prototype, "leave").mockImplementationOnce(die),
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
  /** What both limits say that is used, which is the same at any moment. */
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

describe("a thread that dies in the middle of a call", () => {
  it.each(KINDS)("%s leaves its key as before or as after", (kind) => {
    const { limiter, used, dies } = twoLimits();
    limiter.allow("ann", 5);
    dies(kind, "ann");
    const counts = kind === "when it has published" || kind === "before it leaves";
    expect(used("ann")).toBe(counts ? 6 : 5);
    limiter.allow("ann");
    expect(used("ann")).toBe(counts ? 7 : 6);
  });

  it("makes no difference, however many do", () => {
    const { limiter, used, dies } = twoLimits();
    let expected = 0;
    for (let deaths = 0; deaths < 3 * DESKS; deaths += 1) {
      const kind = KINDS[deaths % KINDS.length]!;
      const key = `client ${deaths % 7}`;
      const before = used(key);
      dies(kind, key);
      const after = used(key);
      expect(after - before).toBe(kind === "when it has published" || kind === "before it leaves" ? 1 : 0);
      expect(limiter.allow(key)).toBe(true);
      expected += after - before + 1;
      vi.advanceTimersByTime(100);
    }
    const total = Array.from({ length: 7 }, (_, i) => used(`client ${i}`)).reduce((sum, one) => sum + one, 0);
    expect(total).toBe(expected);
  });
});

describe("where more threads have died than there are desks", () => {
  it("calls are denied, and counted nowhere, until desks are free again", () => {
    const { limiter, used, dies } = twoLimits();
    limiter.allow("ann", 5);
    for (let deaths = 0; deaths < DESKS; deaths += 1) dies("when it has noted what it will get", "ann");
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

describe("a limit of one cell", () => {
  it("has no desk to leave", () => {
    const occupy = vi.spyOn(Desks.prototype, "occupy");
    const limits = [tokenBucket({ capacity: 2, refill: 1, per: "1s" })];
    const limiter = createLimiter({ name: "api", limits, store: sharedStore({ maxKeys: 10 }) });
    limiter.allow("ann");
    expect(occupy).not.toHaveBeenCalled();
  });
});
