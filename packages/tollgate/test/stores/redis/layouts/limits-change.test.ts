import {
  type AsyncLimiter,
  createLimiter,
  fixedWindow,
  type Limit,
  type Observation,
  perDay,
  slidingWindow,
  tokenBucket,
} from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { freshPrefix, useRedis } from "../kit/use-redis.ts";
import { processes } from "./kit/processes.ts";

const inUse = useRedis();
const NOW_MS = 1_790_000_000_000;

const day = (capacity: number) => perDay(capacity, { name: "calls" });
const fixed = (limit: number) => fixedWindow({ name: "calls", limit, window: "1d", anchor: "first-use" });
const sliding = (limit: number) => slidingWindow({ name: "calls", limit, window: "1d" });

/** How many of so many calls are admitted, which go to the limiters in turn. */
async function admittedInTurn(limiters: readonly AsyncLimiter[], calls: number): Promise<number> {
  let admitted = 0;
  for (let i = 0; i < calls; i += 1) if (await limiters[i % limiters.length]!.allow("ann")) admitted += 1;
  return admitted;
}

describe("two processes with other numbers of a limit", () => {
  it.each<[string, Limit, Limit]>([
    ["a sliding window and a bucket", sliding(10), day(15)],
    ["a bucket and a fixed window", day(15), fixed(10)],
    ["fixed windows", fixed(15), fixedWindow({ name: "calls", limit: 10, window: "1h", anchor: "first-use" })],
    ["sliding windows", sliding(10), slidingWindow({ name: "calls", limit: 15, window: "1h" })],
    ["windows of two kinds", sliding(10), fixedWindow({ name: "calls", limit: 15, window: "1d" })],
  ])("another algorithm or window is another limit, and each is enforced: %s", async (_name, a, b) => {
    const [one, other] = processes(inUse.redis);
    const limiters = [
      createLimiter({ name: "api", limits: [a], store: one }),
      createLimiter({ name: "api", limits: [b], store: other }),
    ];
    expect(await admittedInTurn(limiters, 60)).toBe(25);
    expect(await Promise.all(limiters.map((limiter) => limiter.explain("ann")))).toMatchObject([
      [{ used: a.capacity }],
      [{ used: b.capacity }],
    ]);
    await limiters[0]!.reset("ann");
    expect([await limiters[0]!.allow("ann"), await limiters[1]!.allow("ann")]).toEqual([true, false]);
  });
});

describe("keys whose limits changed", () => {
  it("sweep, clear and size see them once", async () => {
    const prefix = freshPrefix();
    const clock = manualClock(NOW_MS);
    const [one, other] = [0, 1].map(() => inUse.redis.storeByClock({ prefix }));
    const second = (capacity: number, name: string) => tokenBucket({ name, capacity, refill: 1, per: "1s" });
    const old = createLimiter({ name: "api", limits: [second(9, "a"), second(9, "b")], store: one!, clock });
    const young = createLimiter({ name: "api", limits: [second(5, "a")], store: other!, clock });
    await Promise.all([old.consume("ann", 3), old.consume("bob", 1), old.consume("cid", 4)]);
    await young.consume("ann", 1);
    clock.advance(3_000);
    // Ann has a unit of one limit left, of four.
    expect([await young.size(), await young.sweep(), await old.size()]).toEqual([3, 1, 2]);
    clock.advance(1_000);
    expect([await old.sweep(), await young.size()]).toEqual([2, 0]);
    await old.consume("ann", 1);
    await young.clear();
    expect((await old.explain("ann")).map(({ used }) => used)).toEqual([0, 1]);
    await old.clear();
    expect(await old.size()).toBe(0);
  });

  it("a key is not reset by a process that has met no limits, unless it is given those of the key", async () => {
    const [one, other] = processes(inUse.redis);
    const [limiter, young] = [one, other].map((store) =>
      createLimiter({ name: "api", key: (key: string) => key, limits: () => [day(10)], store }),
    ) as [AsyncLimiter, AsyncLimiter];
    await limiter.consume("ann", 3);
    await expect(young.byKey("ann").reset()).rejects.toMatchObject({ code: "ERR_LIMITS" });
    expect(await limiter.explain("ann")).toMatchObject([{ used: 3 }]);
    await young.byKey("ann", [day(10)]).reset();
    expect(await limiter.explain("ann")).toMatchObject([{ used: 0 }]);
    await limiter.consume("ann", 3);
    await young.byKey("ann").reset();
    expect(await limiter.explain("ann")).toMatchObject([{ used: 0 }]);
  });

  it("an observer is notified once when a key moves", async () => {
    const [one, other] = processes(inUse.redis);
    const observed: Observation[] = [];
    const old = createLimiter({ name: "api", limits: [day(10)], store: one });
    const observe = (observation: Observation) => void observed.push(observation);
    const young = createLimiter({ name: "api", limits: [day(15)], store: other, observe });
    await old.consume("ann", 3);
    await young.peek("ann");
    await young.consume("ann");
    await young.consume("ann");
    await young.consume("bob");
    expect(observed.filter(({ type }) => type === "change")).toEqual([
      { type: "change", limiter: "api", key: "ann", from: [day(10)], to: [day(15)] },
    ]);
  });
});

describe("the cost of limits that stay", () => {
  it("a row says under which numbers it counts in 11 bytes, and a call is one script call", async () => {
    const { redis } = inUse;
    const prefix = freshPrefix();
    const store = redis.store({ prefix });
    const limiters = [day(10), perDay(10)].map((limit, i) =>
      createLimiter({ name: `api ${i}`, limits: [limit], store }),
    );
    for (const limiter of limiters) await limiter.allow("ann");
    const names = (await redis.command("KEYS", `${prefix}:api*`)) as string[];
    const lengths = await Promise.all(names.map((name) => redis.command("STRLEN", name)));
    expect(lengths).toEqual([26, 26]);
    expect(await redis.callsOf(() => admittedInTurn(limiters, 10))).toBe(10);
  });
});
