import { type AsyncLimiter, createLimiter, type Limit, perDay, perHour, slidingWindow } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { useRedis } from "../kit/use-redis.ts";
import { processes } from "./kit/processes.ts";

const inUse = useRedis();
const NOW_MS = 1_790_000_000_000;

/** Lists that have a limit of equal numbers in common. */
const LISTS: readonly (readonly Limit[])[] = [
  [perDay(5)],
  [perDay(5), perHour(3)],
  [slidingWindow({ limit: 4, window: "1d" })],
];

describe("lists of limits that count separately in one row", () => {
  it("each counts alone, in calls of several processes and in one batch", async () => {
    const limiters = processes(inUse.redis, { denyCache: false }).flatMap((store) =>
      LISTS.map((limits) => createLimiter({ name: "api", limits, store })),
    );
    const admitted = LISTS.map(() => 0);
    for (let round = 0; round < 4; round += 1) {
      const decided = await Promise.all(limiters.map((limiter) => limiter.allow("ann")));
      for (const [i, isAdmitted] of decided.entries()) if (isAdmitted) admitted[i % LISTS.length]! += 1;
    }
    expect(admitted).toEqual([5, 3, 4]);
    expect(await limiters[0]!.size()).toBe(1);
  });

  it("a reset and clear forget one list, and those of a function all its lists", async () => {
    const [store] = processes(inUse.redis);
    const [one, two, three] = LISTS.map((limits) => createLimiter({ name: "api", limits, store })) as [
      AsyncLimiter,
      AsyncLimiter,
      AsyncLimiter,
    ];
    const used = async () =>
      (await Promise.all([one, two, three].map((limiter) => limiter.explain("ann")))).map(([first]) => first?.used);
    const decisions = await Promise.all([one, two, three].map((limiter) => limiter.consume("ann", 2)));
    await one.reset("ann");
    expect(await used()).toEqual([0, 2, 2]);
    await one.refund("ann", 1);
    await two.refund("ann", 1, decisions[1]);
    expect(await used()).toEqual([0, 1, 2]);
    await two.clear();
    expect(await used()).toEqual([0, 0, 2]);
    const chosen = createLimiter({ name: "api", key: () => "ann", limits: (place: number) => LISTS[place]!, store });
    // Each limit that a function chooses is a list.
    for (const place of [0, 1, 2]) await chosen.consume(place, 1);
    expect(await used()).toEqual([2, 0, 3]);
    await chosen.clear();
    expect([await chosen.size(), ...(await used())]).toEqual([0, 0, 0, 0]);
  });

  it("one of them is denied from memory while another admits", async () => {
    const { redis } = inUse;
    const store = redis.storeByClock();
    const clock = manualClock(NOW_MS);
    const [narrow, wide] = [perDay(1), perDay(50)].map((limit) =>
      createLimiter({ name: "api", limits: [limit], clock, store }),
    ) as [AsyncLimiter, AsyncLimiter];
    const answers = [await narrow.allow("ann"), await narrow.allow("ann")];
    await wide.allow("ann");
    const calls = await redis.callsOf(async () => {
      for (let i = 0; i < 3; i += 1) answers.push(await wide.allow("ann"), await narrow.allow("ann"));
    });
    expect([calls, ...answers]).toEqual([3, true, false, true, false, true, false, true, false]);
    await narrow.block("ann", "1h");
    expect([await narrow.allow("ann"), await wide.allow("ann")]).toEqual([false, false]);
    await wide.unblock("ann");
    expect(await wide.allow("ann")).toBe(true);
  });

  it("a call of several lists takes from all or none, and a denied one writes nothing", async () => {
    const { redis } = inUse;
    const [store] = processes(redis, { denyCache: false });
    const [day, hour] = [perDay(5), perHour(3)];
    const limiter = createLimiter({ name: "api", limits: () => [day, hour], store });
    const dayAlone = createLimiter({ name: "api", limits: [day], store });
    expect(await limiter.consume("ann", 2)).toMatchObject({ allowed: true, remaining: 1 });
    expect(await dayAlone.consume("ann", 1)).toMatchObject({ allowed: true, remaining: 2 });
    const writes = async () => (await redis.server.info("commandstats")).get("cmdstat_set")?.split(",")[0];
    const before = await writes();
    expect([await limiter.allow("ann", 2), await dayAlone.allow("ann", 3)]).toEqual([false, false]);
    expect(await writes()).toBe(before);
    expect((await limiter.explain("ann")).map(({ used }) => used)).toEqual([3, 2]);
  });
});
