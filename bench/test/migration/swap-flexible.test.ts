import * as theirs from "rate-limiter-flexible";
import { memoryStore } from "tollgate";
import * as ours from "tollgate/rate-limiter-flexible";
import { tableStore } from "tollgate/table";
import { describe, expect, it, vi } from "vitest";
import { deadRedis } from "./rivals.ts";

type Limiter = theirs.RateLimiterMemory | ours.RateLimiterStore;
/** A call, and the milliseconds that pass before. */
type Step = readonly [afterMs: number, call: (limiter: Limiter) => Promise<unknown>];

/** What a call resolves or rejects with, in plain values. */
async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  const [how, value] = await call.then(
    (result) => ["resolves", result] as const,
    (error: unknown) => ["rejects", error] as const,
  );
  return [how, value instanceof Error ? "an error" : JSON.parse(JSON.stringify(value))];
}

async function outcomesOf(limiter: Limiter, steps: readonly Step[]): Promise<unknown[]> {
  const outcomes: unknown[] = [];
  for (const [afterMs, call] of steps) {
    vi.advanceTimersByTime(afterMs);
    outcomes.push(await outcomeOf(call(limiter)));
  }
  return outcomes;
}

const get: Step = [0, (limiter) => limiter.get("ann")];
const consume: Step = [0, (limiter) => limiter.consume("ann")];
const later = (afterMs: number, [, call]: Step): Step => [afterMs, call];

const CASES: readonly (readonly [title: string, options: object, steps: readonly Step[]])[] = [
  ["consumes, denies and renews", {}, [get, consume, consume, later(9_000, consume), get, later(51_000, consume), get]],
  ["counts several points", {}, [[0, (limiter) => limiter.consume("ann", 5)], get, consume]],
  [
    "gives points in advance, and takes them back",
    {},
    [
      [0, (limiter) => limiter.reward("ann", 3)],
      get,
      ...Array.from({ length: 6 }, () => consume),
      [0, (limiter) => limiter.penalty("ann", 2)],
      [0, (limiter) => limiter.reward("ann", 7)],
      get,
      consume,
    ],
  ],
  ["keeps a count of nothing", {}, [[0, (limiter) => limiter.consume("ann", 0)], get, later(30_000, consume), get]],
  [
    "sets and blocks",
    {},
    [
      [0, (limiter) => limiter.set("ann", 1, 10)],
      get,
      later(4_000, consume),
      consume,
      later(6_000, get),
      [0, (limiter) => limiter.block("ann", 100)],
      later(70_000, consume),
      [0, (limiter) => limiter.delete("ann")],
      [0, (limiter) => limiter.delete("ann")],
      consume,
    ],
  ],
  [
    "blocks for blockDuration",
    { blockDuration: 100 },
    [consume, consume, consume, later(61_000, consume), later(40_000, consume)],
  ],
  [
    "takes a duration for a call",
    {},
    [
      [0, (limiter) => limiter.consume("ann", 1, { customDuration: 5 })],
      later(1_000, consume),
      consume,
      get,
      later(4_000, get),
      consume,
    ],
  ],
  ["counts for good without a duration", { duration: 0 }, [consume, later(86_400_000, consume), consume, get]],
  [
    "blocks under points that are no whole number, and sets such counts",
    { points: 2.5 },
    [
      [0, (limiter) => limiter.block("ann", 10)],
      consume,
      [0, (limiter) => limiter.set("ann", 0.5, 10)],
      get,
      consume,
      consume,
    ],
  ],
  ["denies everything without points", { points: 0 }, [consume, consume]],
];

describe.each([
  ["a memory store of its own", {}],
  ["tableStore", { store: () => tableStore({ maxKeys: 100 }) }],
])(
  "tollgate/rate-limiter-flexible over %s does what theirs does",
  (_name, { store }: { store?: () => ReturnType<typeof tableStore> }) => {
    it.each(CASES)("%s", async (_title, options, steps) => {
      vi.useFakeTimers({ toFake: ["Date", "performance", "setTimeout", "clearTimeout"], now: 1e12 });
      const all = { points: 2, duration: 60, ...options };
      const expected = await outcomesOf(new theirs.RateLimiterMemory(all), steps);
      vi.setSystemTime(1e12);
      const seen = await outcomesOf(
        new ours.RateLimiterStore(store === undefined ? all : { ...all, store: store() }),
        steps,
      );
      expect(seen).toEqual(expected);
    });
  },
);

describe("tollgate/rate-limiter-flexible", () => {
  it("spreads calls evenly, as theirs does", async () => {
    for (const { RateLimiterMemory } of [theirs, ours]) {
      vi.useFakeTimers({ toFake: ["Date", "performance", "setTimeout", "clearTimeout"] });
      const limiter = new RateLimiterMemory({ points: 2, duration: 10, execEvenly: true });
      await limiter.consume("ann");
      const second = limiter.consume("ann");
      await vi.advanceTimersByTimeAsync(5_000);
      expect((await second).msBeforeNext).toBe(5_000);
      vi.useRealTimers();
    }
  });

  it("unites limiters, and bursts", async () => {
    for (const { BurstyRateLimiter, RateLimiterMemory, RateLimiterUnion } of [theirs, ours] as (typeof ours)[]) {
      const one = new RateLimiterMemory({ points: 2, duration: 60, keyPrefix: "one" });
      const other = new RateLimiterMemory({ points: 1, duration: 60, keyPrefix: "other" });
      const union = new RateLimiterUnion(one, other);
      expect(Object.keys(await union.consume("ann"))).toEqual(["one", "other"]);
      const denied = await union.consume("ann").catch((error: unknown) => error);
      expect(Object.keys(denied as object)).toEqual(["other"]);
      const bursty = new BurstyRateLimiter(one, new RateLimiterMemory({ points: 1, duration: 1, keyPrefix: "burst" }));
      expect([bursty.points, await bursty.get("bob")]).toEqual([2, null]);
      const left = [await bursty.consume("ann"), await bursty.get("ann")].map((result) => result?.consumedPoints);
      expect(left).toEqual([3, 3]);
      expect(((await outcomeOf(bursty.consume("ann"))) as unknown[])[0]).toBe("rejects");
    }
  });

  it("queues calls, first come, first served", async () => {
    for (const { RateLimiterMemory, RateLimiterQueue, RateLimiterQueueError } of [theirs, ours] as (typeof ours)[]) {
      vi.useFakeTimers({ toFake: ["Date", "performance", "setTimeout", "clearTimeout"] });
      const queue = new RateLimiterQueue(new RateLimiterMemory({ points: 2, duration: 10 }), { maxQueueSize: 3 });
      const done: string[] = [];
      const calls = ["a", "b", "c", "d", "e"].map((name) => queue.removeTokens(1).then(() => done.push(name)));
      await vi.advanceTimersByTimeAsync(0);
      await expect(queue.removeTokens(1)).rejects.toBeInstanceOf(RateLimiterQueueError);
      await expect(queue.removeTokens(3)).rejects.toBeInstanceOf(RateLimiterQueueError);
      expect([done.join(""), await queue.getTokensRemaining(), await queue.getTokensRemaining("new")]).toEqual([
        "ab",
        0,
        2,
      ]);
      await vi.advanceTimersByTimeAsync(10_000);
      expect(done.join("")).toBe("abcd");
      await vi.advanceTimersByTimeAsync(10_000);
      await Promise.all(calls);
      expect(done.join("")).toBe("abcde");
      vi.useRealTimers();
    }
  });

  it("dumps and restores counts exactly, also in place of theirs", async () => {
    vi.useFakeTimers({ toFake: ["Date", "performance", "setTimeout", "clearTimeout"], now: 1e12 });
    const makers = [theirs, ours].map(({ RateLimiterMemory }) => (keyPrefix = "") => {
      return new RateLimiterMemory({ points: 2, duration: 60, keyPrefix }) as theirs.RateLimiterMemory;
    });
    const dumps: theirs.IRateLimiterMemoryExport[] = [];
    for (const make of makers) {
      const limiter = make();
      for (const key of ["[ann", "bob", "bob", "bob", "rid"]) await limiter.consume(key).catch(() => {});
      await limiter.block("cid", 90);
      await limiter.block("eve", 0);
      await limiter.reward("dan", 5);
      await limiter.set("fay", 1, 5);
      await limiter.delete("rid");
      vi.advanceTimersByTime(20_000);
      dumps.push(limiter.dump());
      vi.setSystemTime(1e12);
    }
    const byKey = (one: { key: unknown }, other: { key: unknown }) => (String(one.key) < String(other.key) ? -1 : 1);
    const [expected, seen] = dumps.map(({ storage, ...others }) => ({ ...others, storage: storage.sort(byKey) }));
    expect(seen).toEqual(expected);
    vi.advanceTimersByTime(30_000);
    const odd = { version: 1, storage: [...seen!.storage, { key: "x", value: Number.NaN, expiresAt: 2e12 }, 7] };
    for (const make of makers)
      for (const [dump, of] of [
        [JSON.parse(JSON.stringify(expected)), 5],
        [JSON.parse(JSON.stringify(seen)), 5],
      ] as const) {
        const limiter = make("b");
        expect(limiter.restore(dump)).toEqual({ restored: of, expired: 0, invalid: 0 });
        const results = await Promise.all(["[ann", "bob", "cid", "eve", "dan", "fay"].map((key) => limiter.get(key)));
        expect(results.map((result) => [result?.consumedPoints, result?.msBeforeNext])).toEqual([
          [1, 30_000],
          [3, 30_000],
          [3, 60_000],
          [3, -1],
          [-5, 30_000],
          [undefined, undefined],
        ]);
        const told = { restored: { count: 0, keys: [] }, expired: { count: 0, keys: [] } };
        expect(make().restore({ ...odd, storage: odd.storage.slice(5) } as never, true)).toEqual({
          ...told,
          invalid: { count: 2, keys: ["x", "N/A"] },
        });
        for (const wrong of ["{}", null, undefined, { version: 2, storage: [] }])
          expect(limiter.restore(wrong as never)).toBe(undefined);
      }
  });

  it("rejects with an error without the server, or asks the insurance", async () => {
    const options = { storeClient: deadRedis(), points: 1, duration: 60 };
    const failing = new ours.RateLimiterRedis(options);
    for (const call of [failing.consume("ann"), failing.get("ann"), failing.set("ann", 1, 2), failing.delete("ann")])
      await expect(call).rejects.toMatchObject({ code: "ERR_STORE", cause: expect.any(Error) });
    const insuranceLimiter = new ours.RateLimiterMemory({ points: 1, duration: 60 });
    const insured = new ours.RateLimiterRedis({ ...options, insuranceLimiter });
    expect((await insured.consume("ann")).consumedPoints).toBe(1);
    await expect(insured.consume("ann")).rejects.toBeInstanceOf(ours.RateLimiterRes);
    expect((await insured.get("ann"))?.consumedPoints).toBe(2);
  });

  it("denies a key whose count was set to infinity, which theirs allows", async () => {
    const limiter = new ours.RateLimiterMemory({ points: 2, duration: 60 });
    await limiter.set("ann", Number.POSITIVE_INFINITY, 10);
    await expect(limiter.consume("ann")).rejects.toMatchObject({ remainingPoints: 0 });
  });

  it("denies in this process once so many points were consumed", async () => {
    const all = { points: 1, duration: 60, inMemoryBlockOnConsumed: 2, inMemoryBlockDuration: 10 };
    const limiter = new ours.RateLimiterStore({ ...all, store: memoryStore() });
    const denied = async () => outcomeOf(limiter.consume("ann"));
    await limiter.consume("ann");
    expect(await denied()).toMatchObject(["rejects", { consumedPoints: 2, msBeforeNext: 10_000 }]);
    expect(await denied()).toMatchObject(["rejects", { consumedPoints: 0 }]);
    limiter.deleteInMemoryBlockedAll();
    expect(await denied()).toMatchObject(["rejects", { consumedPoints: 3 }]);
  });

  it.each([{ points: Number.NaN }, { duration: -1 }, { keyPrefix: 1 }, { inMemoryBlockOnConsumed: 1 }])(
    "refuses %j",
    (wrong) => {
      const options = { points: 2, duration: 60, ...wrong } as ours.RateLimiterStoreOptions;
      expect(() => new ours.RateLimiterStore(options)).toThrow("expected");
    },
  );
});
