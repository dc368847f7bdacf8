import { createLimiter, memoryStore, type Observation, perMinute, perSecond } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../start-ms.ts";
import {
  type AnyLimiter,
  type AnyStore,
  type Capacity,
  dealOneSecret,
  EVERY_STORE,
  limiterOver,
} from "./every-store.ts";
import { plainStore } from "./plain-store.ts";

const STORES: typeof EVERY_STORE = [...EVERY_STORE, ["a store without batches", () => plainStore()]];
const CAPACITY: Capacity = { maxKeys: 3_000 };

/** The answers of one call after another. */
async function oneByOne(limiter: AnyLimiter, keys: readonly string[], cost?: number): Promise<boolean[]> {
  const answers: boolean[] = [];
  for (const key of keys) answers.push(await limiter.allow(key, cost));
  return answers;
}

async function batch(limiter: AnyLimiter, keys: readonly string[], cost?: number): Promise<boolean[]> {
  const out = new Uint8Array(keys.length + 1).fill(7);
  const admitted = await limiter.allowMany(keys, out, cost);
  const answers = [...out.subarray(0, keys.length)];
  expect(answers.every((answer) => answer === 0 || answer === 1)).toBe(true);
  expect(admitted).toBe(answers.filter((answer) => answer === 1).length);
  expect(out[keys.length]).toBe(7);
  return answers.map((answer) => answer === 1);
}

async function sizeOf(limiter: AnyLimiter): Promise<number> {
  return limiter.kind === "sync" ? limiter.size : limiter.size();
}

/** Two limiters with one clock, over stores of the same kind that hash alike. */
function twins(
  createStore: (capacity?: Capacity) => AnyStore,
  options: Parameters<typeof limiterOver>[1],
  capacity: Capacity = CAPACITY,
) {
  dealOneSecret();
  return [limiterOver(createStore(capacity), options), limiterOver(createStore(capacity), options)] as const;
}

describe.each(STORES)("a batch over %s", (_name, createStore) => {
  it.each(["share", "deny"] as const)(
    "finds no more free slots than single calls, with overflow %s",
    async (overflow) => {
      const clock = manualClock(START_MS);
      const [many, single] = twins(
        createStore,
        { limits: [perSecond(2)], clock, name: "batch" },
        { maxKeys: 40, overflow },
      );
      for (let round = 0; round < 4; round += 1) {
        const keys = Array.from({ length: 300 }, (_, i) => `key-${(i * 7) % 150}`);
        expect(await batch(many, keys)).toEqual(await oneByOne(single, keys));
        clock.advance(300);
      }
    },
  );

  it("chooses limits for each input", async () => {
    const limits = (input: string) =>
      input.startsWith("paid") ? [perMinute(3)] : input === "free" ? [perMinute(1)] : "unlimited";
    const [many, single] = twins(createStore, { limits, clock: manualClock(START_MS), name: "batch" });
    const keys = ["free", "free", "paid", "paid", "paid", "paid", "staff", "staff"];
    expect(await batch(many, keys)).toEqual(await oneByOne(single, keys));
  });

  it("notifies observers of each input", async () => {
    const seen: Observation[] = [];
    const observe = (one: Observation) => void seen.push(one);
    const [many, single] = twins(createStore, {
      limits: [perSecond(2)],
      clock: manualClock(START_MS),
      name: "batch",
      observe,
    });
    const keys = ["a", "b", "a", "a"];
    await batch(many, keys);
    const notified = seen.splice(0);
    await oneByOne(single, keys);
    expect(notified).toHaveLength(4);
    expect(notified).toEqual(seen);
  });

  it.each([
    ["fixed limits", { limits: [perSecond(1, { burst: 1 })] }],
    ["limits chosen per call", { limits: () => [perSecond(1, { burst: 1 })] }],
    ["an observer", { limits: [perSecond(1, { burst: 1 })], observe: () => {} }],
  ])("reads the clock once for all inputs, with %s", async (_what, options) => {
    let reads = 0;
    const clock = { now: () => START_MS + 1_000 * reads++ };
    const limiter = limiterOver(createStore(), { ...options, clock, name: "batch" });
    expect(await batch(limiter, ["a", "a", "a", "b"])).toEqual([true, false, false, true]);
    expect(reads).toBe(1);
  });

  const REFUSED: readonly [string, unknown, unknown, unknown, string][] = [
    ["an out that is too short", ["a", "b"], new Uint8Array(1), 1, "ERR_OPTION"],
    ["a list as out", ["a"], [0], 1, "ERR_OPTION"],
    ["one input alone", "a", new Uint8Array(1), 1, "ERR_OPTION"],
    ["a fraction as the cost", ["a"], new Uint8Array(1), 0.5, "ERR_COST"],
    ["a key that is no key", ["a", "a", null, "a"], new Uint8Array(4), 1, "ERR_KEY"],
    ["a list with a hole", new Array(2), new Uint8Array(2), 1, "ERR_KEY"],
  ];

  it.each(REFUSED)("refuses %s, and counts nothing", async (_what, inputs, out, cost, code) => {
    const limiter = limiterOver(createStore(), { limits: [perSecond(9)], clock: manualClock(START_MS), name: "batch" });
    await expect(async () => limiter.allowMany(inputs as never, out as never, cost as never)).rejects.toMatchObject({
      code,
    });
    expect(await sizeOf(limiter)).toBe(0);
  });

  it("throws the error of the key function at the fifth input, and counts nothing", async () => {
    const key = (input: string) => {
      if (input === "e") throw new RangeError("no such client");
      return input;
    };
    const limiter = limiterOver(createStore(), {
      limits: [perSecond(9)],
      key,
      clock: manualClock(START_MS),
      name: "batch",
    });
    await expect(async () => limiter.allowMany("abcdefg".split(""), new Uint8Array(7))).rejects.toThrow(RangeError);
    expect(await sizeOf(limiter)).toBe(0);
  });

  it("throws the error of the clock, and counts nothing", async () => {
    let isBroken = true;
    const now = () => {
      if (isBroken) throw new RangeError("no time");
      return START_MS;
    };
    const limiter = limiterOver(createStore(), { limits: [perSecond(9)], clock: { now }, name: "batch" });
    await expect(async () => limiter.allowMany(["a", "b"], new Uint8Array(2))).rejects.toThrow(RangeError);
    isBroken = false;
    expect((await limiter.explain("a"))[0]?.used).toBe(0);
  });
});

describe.each([
  ["the memory store", () => memoryStore()],
  ["a store without batches", plainStore],
])("batches over %s", (_name, createStore) => {
  it("sweep idle keys as single calls do", () => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits: [perSecond(2)], clock, store: createStore() });
    const keys = Array.from({ length: 500 }, (_, i) => `key-${i}`);
    limiter.allowMany(keys, new Uint8Array(500));
    clock.advance(10_000);
    for (let i = 0; i < 20; i += 1) limiter.allowMany(new Array<string>(100).fill("another"), new Uint8Array(100));
    expect(limiter.size).toBe(1);
  });
});
