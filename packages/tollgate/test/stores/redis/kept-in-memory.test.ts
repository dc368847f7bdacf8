import { createLimiter, perDay } from "tollgate";
import { expect, it } from "vitest";
import { useRedis } from "./kit/use-redis.ts";

const inUse = useRedis();
const MEGABYTE = 2 ** 20;

/** The growth of the heap in megabytes while the work is done. */
async function growthOf(work: (i: number) => Promise<unknown>, times: number): Promise<number> {
  await work(0);
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  for (let i = 1; i <= times; i += 1) await work(i);
  globalThis.gc?.();
  return (process.memoryUsage().heapUsed - before) / MEGABYTE;
}

it("the store caches no long keys", async () => {
  const limiter = createLimiter({ name: "api", limits: [perDay(1)], store: inUse.redis.store() });
  const grown = await growthOf(async (i) => {
    const key = `${i} `.repeat(100_000);
    await limiter.allow(key);
  }, 60);
  // Uncached keys of this length would take 12 MB.
  expect(grown).toBeLessThan(6);
});
