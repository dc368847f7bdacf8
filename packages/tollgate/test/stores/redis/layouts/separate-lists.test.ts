import { type AsyncLimiter, createLimiter, perDay, perHour } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { useRedis } from "../kit/use-redis.ts";
import { processes } from "./kit/processes.ts";

const inUse = useRedis();
const NOW_MS = 1_790_000_000_000;

describe("lists of limits that count separately in one row", () => {
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
