import { Redis } from "ioredis";
import { createLimiter, memoryStore, perDay } from "tollgate";
import { factsOf, type HttpFacts, rateLimit } from "tollgate/node";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type Answer, send, statuses } from "../../../adapters/suite/client.ts";
import { serveHere } from "../../../adapters/suite/node-server.ts";
import { openStore } from "../kit/use-redis.ts";
import { eventually, eventuallyTrue } from "../servers/eventually.ts";
import type { RedisServer } from "../servers/redis-server.ts";
import { startRedis } from "../servers/start-redis.ts";

let redis: RedisServer;
let client: Redis;
beforeEach(async () => {
  // The append-only file survives `kill`.
  redis = await startRedis({ args: ["--appendonly", "yes", "--appendfsync", "always"] });
  client = new Redis(redis.port, { retryStrategy: () => 10 });
  client.on("error", () => {});
});
afterEach(async () => {
  client.disconnect();
  await redis.stop();
});

/**
 * A login that fails with 401 at once, or succeeds after its password was checked. Three failures a day are allowed.
 */
async function startLogins() {
  const store = openStore(client, { onFailure: { fallback: memoryStore(), share: 1 }, timeout: "1s" });
  const key = ({ remoteAddress }: HttpFacts) => remoteAddress ?? "unknown";
  const limiter = createLimiter({ name: "login", key, limits: [perDay(3)], store });
  const checking: (() => void)[] = [];
  let settled = 0;
  const limit = rateLimit({
    limiter,
    input: factsOf,
    chargeAfter: (_request, { status }) => {
      settled += 1;
      return status === 401 ? 1 : 0;
    },
  });
  const server = await serveHere(
    limit((request, response) => {
      if (request.url === "/fail") {
        response.statusCode = 401;
        response.end();
      } else checking.push(() => response.end("welcome"));
    }),
  );
  onTestFinished(async () => server.close());
  const left = async () => {
    const decision = await limiter.peek({ remoteAddress: "127.0.0.1" } as HttpFacts, 0);
    return { remaining: decision.remaining, isDegraded: decision.degraded !== undefined };
  };
  /** Starts logins whose passwords are being checked. Returns a function that lets them succeed. */
  const begin = async (count: number): Promise<() => Promise<Answer[]>> => {
    const before = checking.length;
    const answers: Promise<Answer>[] = [];
    for (let i = 1; i <= count; i += 1) {
      answers.push(send(`${server.url}/succeed`));
      await eventuallyTrue("the check to begin", () => checking.length === before + i);
    }
    return async () => {
      const already = settled;
      for (const letGo of checking.slice(before, before + count)) letGo();
      const all = await Promise.all(answers);
      await eventuallyTrue("all to be settled", () => settled === already + count);
      return all;
    };
  };
  const fails = (count: number) => statuses(`${server.url}/fail`, count);
  return { store, limiter, left, begin, fails };
}

async function untilBack(left: () => Promise<{ readonly isDegraded: boolean }>): Promise<void> {
  await eventually("the server to decide again", async () => ((await left()).isDegraded ? undefined : true));
}

describe("requests that are settled after the server was unavailable", () => {
  it("units taken locally are not given back in Redis, so no more failures are admitted", async () => {
    const { left, begin, fails } = await startLogins();
    await redis.kill();
    const letThemSucceed = await begin(3);
    expect(await left()).toEqual({ remaining: 0, isDegraded: true });
    await redis.restart("kept");
    await untilBack(left);
    expect(await fails(4)).toEqual([401, 401, 401, 429]);
    expect((await letThemSucceed()).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await fails(3)).toEqual([429, 429, 429]);

    // The units were given back where they were taken.
    await redis.kill();
    await eventuallyTrue("all units in the server's place", async () => {
      const { remaining, isDegraded } = await left();
      return isDegraded && remaining === 3;
    });
  });

  it("units taken in Redis, and only those, are given back there", async () => {
    const { left, begin, fails } = await startLogins();
    const letFirstSucceed = await begin(2);
    expect(await left()).toEqual({ remaining: 1, isDegraded: false });
    await redis.kill();
    const letSecondSucceed = await begin(1);
    await redis.restart("kept");
    await untilBack(left);
    expect(await left()).toEqual({ remaining: 1, isDegraded: false });
    await letSecondSucceed();
    expect(await left()).toEqual({ remaining: 1, isDegraded: false });
    await letFirstSucceed();
    await eventuallyTrue("the units to be back", async () => (await left()).remaining === 3);
    expect(await fails(4)).toEqual([401, 401, 401, 429]);
  });

  it("units that may also count in Redis are given back locally only", async () => {
    const { store, limiter, left } = await startLogins();
    const facts = { remoteAddress: "127.0.0.1" } as HttpFacts;
    await limiter.consume(facts, 0);
    redis.pause();
    const taken = await limiter.consume(facts);
    expect(taken).toMatchObject({ degraded: "timed out", remaining: 2 });
    redis.resume();
    await untilBack(left);
    expect(await left()).toEqual({ remaining: 2, isDegraded: false });
    await limiter.refund(facts, 1, taken);
    expect(await left()).toEqual({ remaining: 2, isDegraded: false });
    store.bypass = true;
    expect(await left()).toEqual({ remaining: 3, isDegraded: true });
  });

  it("nothing is given back if the server that took the units is unavailable at that time", async () => {
    const { left, begin, fails } = await startLogins();
    const letFirstSucceed = await begin(2);
    await redis.kill();
    const letSecondSucceed = await begin(3);
    expect(await left()).toEqual({ remaining: 0, isDegraded: true });
    await letFirstSucceed();
    expect(await left()).toEqual({ remaining: 0, isDegraded: true });
    expect(await fails(1)).toEqual([429]);
    await letSecondSucceed();
    await redis.restart("kept");
    await untilBack(left);
    expect(await left()).toEqual({ remaining: 1, isDegraded: false });
  });
});
