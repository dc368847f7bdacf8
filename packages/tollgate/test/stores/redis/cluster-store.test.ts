import { type AsyncLimiter, combine, createLimiter, perDay, perSecond } from "tollgate";
import { manualClock, storeContract } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { KEYS_OF_THREE_PRIMARIES, useCluster } from "./kit/use-cluster.ts";
import { freshPrefix } from "./kit/use-redis.ts";

const NOW_MS = 1_790_000_000_000;
const inUse = useCluster();

describe("the store contract holds in a cluster", () => {
  const cases = storeContract({
    createStore: () => inUse.cluster.storeByClock({ prefix: freshPrefix() }),
  }).filter(({ name }) => !/random traces|handle decides|sweeping changes/.test(name));
  it.each(cases)("$name", async ({ run }) => {
    await run();
  });
});

describe("batches in a cluster", () => {
  it("calls of one turn are one batch per slot", async () => {
    const store = inUse.cluster.store();
    const limiter = createLimiter({ name: "api", limits: [perDay(50)], store });
    const other = createLimiter({ name: "other", limits: [perDay(50)], store });
    await Promise.all(KEYS_OF_THREE_PRIMARIES.map((key) => limiter.allow(key)));
    const calls = await inUse.cluster.callsOf(() =>
      Promise.all(
        KEYS_OF_THREE_PRIMARIES.flatMap((key) => [
          limiter.allow(key),
          limiter.consume(key),
          other.allow(key),
          combine(limiter, other).allow(key),
          limiter.refund(key, 1),
        ]),
      ),
    );
    expect(calls).toBe(KEYS_OF_THREE_PRIMARIES.length);
  });
});

describe("the keys of a cluster", () => {
  it("size, sweep and clear reach the keys of all nodes", async () => {
    const clock = manualClock(NOW_MS);
    const store = inUse.cluster.storeByClock();
    const limiter: AsyncLimiter = createLimiter({ name: "api", limits: [perSecond(5)], store, clock });
    const keys = Array.from({ length: 300 }, (_, i) => `user-${i}`);
    await limiter.allowMany(keys, new Uint8Array(300));
    await limiter.allow("user-7", 4);
    expect(await limiter.size()).toBe(300);
    clock.advance(400);
    expect(await limiter.sweep()).toBe(299);
    expect(await limiter.size()).toBe(1);
    await limiter.clear();
    expect(await limiter.size()).toBe(0);
  });
});
