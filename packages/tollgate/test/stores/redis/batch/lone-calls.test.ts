import { type AsyncLimiter, createLimiter, fixedWindow, type Limit, perDay } from "tollgate";
import { describe, expect, it } from "vitest";
import { argumentsOfCalls } from "../kit/script-calls.ts";
import { type StoreOptions, useRedis } from "../kit/use-redis.ts";

const inUse = useRedis();
/** A call that is lost gets no answer, and its store never closes. */
const PATIENCE = { timeout: 10_000 };
/** After so many calls, one after another, the next one is sent at once. */
const CALM_CALLS = 10;

/** A limiter that was asked one call at a time. */
async function calmLimiter(options: StoreOptions = {}, limits: readonly Limit[] = [perDay(3)]): Promise<AsyncLimiter> {
  const limiter = createLimiter({ name: "api", limits, store: inUse.redis.store(options) });
  for (let i = 0; i < CALM_CALLS; i += 1) await limiter.allow(`calm-${i}`);
  return limiter;
}

function allowEach(limiter: AsyncLimiter, count: number): Promise<boolean[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => limiter.allow(`key-${i}`)));
}

async function afterMicrotasks(): Promise<void> {
  await new Promise<void>((resolve) => process.nextTick(() => process.nextTick(resolve)));
}

describe("a lone call", PATIENCE, () => {
  it("a lone call is sent before its turn ends", async () => {
    const limiter = await calmLimiter();
    let decided: Promise<boolean> | undefined;
    const calls = await argumentsOfCalls(inUse.redis.client, async () => {
      decided = limiter.allow("a");
      await afterMicrotasks();
    });
    expect(calls).toHaveLength(1);
    expect(await decided).toBe(true);
  });

  it("calls that a loop makes after lone calls are one script call", async () => {
    const limiter = await calmLimiter();
    expect(await inUse.redis.callsOf(() => allowEach(limiter, 100))).toBe(1);
  });

  it("after calls that overlapped, calls of one turn are one script call", async () => {
    const limiter = await calmLimiter();
    await allowEach(limiter, 2);
    const calls = await inUse.redis.callsOf(async () => {
      const first = limiter.allow("a");
      await afterMicrotasks();
      await Promise.all([first, limiter.allow("b")]);
    });
    expect(calls).toBe(1);
  });

  describe.each([
    ["bucket", perDay(3)],
    ["window", fixedWindow({ limit: 3, window: "1d" })],
  ])("of one %s", (_name, limit) => {
    it.each([
      ["in flight", true],
      ["not sent yet", false],
    ])("calls behind one that is %s are decided in order and exactly", async (_state, isSent) => {
      const limiter = await calmLimiter({}, [limit]);
      const first = limiter.allow("a", 2);
      if (isSent) await afterMicrotasks();
      const others = [limiter.allow("a", 2), limiter.allow("a"), limiter.allow("a")];
      expect(await first).toBe(true);
      expect(await Promise.all(others)).toEqual([false, true, false]);
    });
  });

  it("a lone call that gets no reply in time is decided without the server", async () => {
    const limiter = await calmLimiter({ timeout: 50, onFailure: "deny" });
    await inUse.redis.command("CLIENT", "PAUSE", 300, "ALL");
    expect(await limiter.allow("a")).toBe(false);
    await inUse.redis.command("CLIENT", "UNPAUSE");
    expect((await limiter.explain("a"))[0]?.used).toBeLessThanOrEqual(1);
  });
});
