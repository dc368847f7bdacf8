import { Redis } from "ioredis";
import { createLimiter, perSecond } from "tollgate";
import { expect, it, onTestFinished } from "vitest";
import { freshPrefix, openStore, useRedis } from "./kit/use-redis.ts";

const inUse = useRedis();
const PROCESSES = 6;
const WAITS_EACH = 12;
/** How often others may be served before one is served again, where their equal share is one each. */
const MOST_EACH = 8;

/** Each limiter has a line and a connection of its own, as a process would. They do not know of each other. */
it("waiters of different processes are served without starvation, and in order within each", async () => {
  const prefix = freshPrefix();
  const clients = Array.from({ length: PROCESSES }, () => new Redis(inUse.redis.server.port));
  onTestFinished(() => {
    for (const client of clients) client.disconnect();
  });
  const limits = [perSecond(20, { burst: 1 })];
  const served: number[] = [];
  const orders = await Promise.all(
    clients.map(async (client, index) => {
      const limiter = createLimiter({ name: "fleet", limits, store: openStore(client, { prefix, timeout: "10s" }) });
      const order: number[] = [];
      await Promise.all(
        Array.from({ length: WAITS_EACH }, async (_, i) => {
          await limiter.wait("all");
          served.push(index);
          order.push(i);
        }),
      );
      return order;
    }),
  );
  const inOrder = Array.from({ length: WAITS_EACH }, (_, i) => i);
  for (const order of orders) expect(order).toEqual(inOrder);
  for (let index = 0; index < PROCESSES; index += 1) {
    const turns = served.flatMap((who, at) => (who === index ? [at] : []));
    const gaps = turns.map((at, i) => at - (turns[i - 1] ?? -1) - 1);
    expect(Math.max(...gaps)).toBeLessThan(MOST_EACH * (PROCESSES - 1));
  }
});
