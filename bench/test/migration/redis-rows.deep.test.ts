import { runInNewContext } from "node:vm";
import { Redis } from "ioredis";
import { type AsyncLimiter, createLimiter, memoryStore, perMinute } from "tollgate";
import { redisStore } from "tollgate/redis";
import type { AsyncStore } from "tollgate/store";
import { describe, expect, it, onTestFinished } from "vitest";
import { startRedis } from "../../../packages/tollgate/test/stores/redis/servers/start-redis.ts";
import { codeOf, rowsOf } from "./page.ts";

const PAGES = ["express-rate-limit", "fastify-rate-limit", "hono-rate-limiter", "rate-limiter-flexible"];
const limits = [perMinute(2)];

/** The code with `redisStore` of a page's rows. */
function codeOverRedis(page: string): string[] {
  const all = rowsOf(`from-${page}.md`).flatMap(({ ours }) => codeOf(ours));
  return all.filter((code) => code.includes("redisStore({"));
}

/** The limiter that the code of a cell makes, or that has the store of the cell. */
function limiterOf(code: string, client: Redis): AsyncLimiter {
  const sendCommand = (command: string, ...args: string[]) => client.call(command, ...args);
  const names = { client, createLimiter, limits, memoryStore, redisStore, sendCommand };
  const made: unknown = runInNewContext(`(${code.replace(/^store: /, "")})`, names);
  if (code.startsWith("createLimiter(")) return made as AsyncLimiter;
  return createLimiter({ name: "api", limits, store: made as AsyncStore });
}

describe.each(PAGES)("the rows with redisStore of docs/from-%s.md", (page) => {
  it.each(codeOverRedis(page))("count for all processes, and decide without the server: %s", async (code) => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const limiters = Array.from({ length: 2 }, () => {
      const client = new Redis(server.port, "127.0.0.1", { retryStrategy: () => 50 }).on("error", () => {});
      onTestFinished(() => client.disconnect());
      return limiterOf(code, client);
    });
    const [one, other] = limiters as [AsyncLimiter, AsyncLimiter];
    const decided = [await one.consume("ann"), await other.consume("ann"), await one.consume("ann")];
    expect(decided.map(({ allowed, degraded }) => [allowed, degraded !== undefined])).toEqual([
      [true, false],
      [true, false],
      [false, false],
    ]);
    const client = new Redis(server.port, "127.0.0.1");
    const keys = await client.keys("*");
    client.disconnect();
    const [, prefix = "tg"] = /prefix: "(\w+)"/.exec(code) ?? [];
    expect(keys.filter((key) => !key.startsWith(prefix))).toEqual([]);
    await server.stop();
    const undecided = one.consume("bob");
    if (code.includes('"throw"')) await expect(undecided).rejects.toThrow("the server did not answer");
    else expect(await undecided).toMatchObject({ allowed: !code.includes('"deny"'), degraded: expect.any(String) });
  });
});
