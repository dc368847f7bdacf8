import { EventEmitter, once } from "node:events";
import express, { type Express, type Request, type RequestHandler, type Response } from "express";
import { type RateLimitInfo, type RateLimitRequestHandler, rateLimit as theirLimit } from "express-rate-limit";
import type { Redis } from "ioredis";
import { type RedisReply, RedisStore } from "rate-limit-redis";
import { combine, createLimiter, fixedWindow, perHour, perMinute, slidingWindow } from "tollgate";
import { clientIp, rateLimit, refundSuccesses } from "tollgate/express";
import { describe, expect, it, vi } from "vitest";
import { urlOf } from "../../../packages/tollgate/test/adapters/suite/node-server.ts";
import { claimsOf, otherRowsOf, rowsBeside, titlesBeside } from "./page.ts";
import * as rivals from "./rivals.ts";
import { type Ask, splitOptions, statusesOf } from "./rivals.ts";

const PAGE = "from-express-rate-limit.md";

async function serve(limits: readonly RequestHandler[], trustProxy = 0, handler?: RequestHandler): Promise<Ask> {
  const app: Express = express().set("trust proxy", trustProxy);
  for (const limit of limits) app.use(limit);
  if (handler !== undefined) app.use(handler);
  app.get("/fail", (_request, response) => void response.sendStatus(401));
  app.use((_request: Request, response: Response) => void response.send("well"));
  app.use((_error: unknown, _request: Request, response: Response, _next: unknown) => void response.sendStatus(500));
  const url = await urlOf(app);
  return async ({ path = "/", ...init } = {}) => {
    const response = await fetch(`${url}${path}`, init);
    return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
  };
}

type TheirOptions = NonNullable<Parameters<typeof theirLimit>[0]>;

function theirs(options: TheirOptions): RequestHandler {
  return theirLimit({ windowMs: 60_000, limit: 2, legacyHeaders: false, validate: false, ...options });
}

const WINDOW = fixedWindow({ limit: 2, window: "1m", anchor: "first-use" });

type Options = Readonly<Record<string, unknown>>;

function ours(options: Options = {}): RequestHandler {
  const [limiter, adapter] = splitOptions(options);
  return rateLimit({ limiter: createLimiter({ key: clientIp(), limits: [WINDOW], ...limiter }), ...adapter });
}

rivals.itBehavesTheSame(
  PAGE,
  { clientIp, refundSuccesses, fixedWindow, perMinute },
  async (options) => serve([theirs(options)]),
  async (options) => serve([ours(options)]),
);

const from = (address: string) => ({ headers: { "x-forwarded-for": address } });

function redisOfTheirs(client: Redis): RedisStore {
  return new RedisStore({ sendCommand: (name, ...rest) => client.call(name, ...rest) as Promise<RedisReply> });
}

describe(`docs/${PAGE}, on what behaves differently`, () => {
  it("makes the claims that are tested", ({ task }) => expect(claimsOf(PAGE)).toEqual(titlesBeside(task)));

  it("An outage of the store admits.", async () => {
    const ofTheirs = async (passOnStoreError: boolean) => {
      const logger = { error: () => {}, warn: () => {} };
      return (await serve([theirs({ store: redisOfTheirs(rivals.deadRedis()), passOnStoreError, logger })]))();
    };
    expect([(await ofTheirs(false)).status, (await ofTheirs(true)).status]).toEqual([500, 200]);

    const ofOurs = async (onFailure?: "deny") => {
      const store = rivals.deadStore(onFailure && { onFailure });
      const limiter = createLimiter({ name: "api", key: clientIp(), limits: [WINDOW], store });
      return (await serve([rateLimit({ limiter, onError: "deny" })]))();
    };
    expect([(await ofOurs()).status, (await ofOurs("deny")).status]).toEqual([200, 503]);
  });

  it("IPv6 is grouped by /64", async () => {
    const addresses = ["2001:db8:0:1::1", "2001:db8:0:2::1", "2001:db8:0:2::2"].map(from);
    expect(await statusesOf(await serve([theirs({ limit: 1 })], 1), addresses)).toEqual([200, 429, 429]);
    const limiter = createLimiter({ key: clientIp({ trustProxy: 1 }), limits: [perMinute(1)] });
    const here = await serve([rateLimit({ limiter })]);
    expect(await statusesOf(here, addresses)).toEqual([200, 200, 429]);
    const embedded = ["192.0.2.1", "::ffff:192.0.2.1", "64:ff9b::192.0.2.1", "2002:c000:201::1"].map(from);
    expect(await statusesOf(here, embedded)).toEqual([200, 429, 429, 429]);
  });

  it("A token bucket refills all the time.", async () => {
    const ask = await serve([theirs({ limit: 10 })]);
    await rivals.expectBucketsAndWindows(async () => (await ask()).status === 200);
  });

  it("Proxies", async () => {
    const clients = ["192.0.2.1", "192.0.2.2"].map(from);
    const behind = async (trustProxy: number, app: number) => {
      const limiter = createLimiter({ key: clientIp({ trustProxy }), limits: [perMinute(1)] });
      return statusesOf(await serve([rateLimit({ limiter })], app), clients);
    };
    expect([await behind(0, 1), await behind(1, 0)]).toEqual([
      [200, 429],
      [200, 200],
    ]);
  });

  it("A denied request counts for nothing.", async () => {
    const counted: number[] = [];
    const handler = (request: Request, response: Response) => {
      counted.push((request as unknown as { rateLimit: { used: number } }).rateLimit.used);
      response.sendStatus(429);
    };
    expect(await statusesOf(await serve([theirs({ limit: 1, handler })]), [{}, {}, {}])).toEqual([200, 429, 429]);
    expect(counted).toEqual([2, 3]);

    const limiter = createLimiter({ key: clientIp(), limits: [perMinute(1), perHour(9)] });
    expect(await statusesOf(await serve([rateLimit({ limiter })]), [{}, {}, {}])).toEqual([200, 429, 429]);
    expect(rivals.unitsUsed(limiter)).toEqual([1, 1]);
  });

  it("Clients that hang up", async () => {
    const afterHangUp = async (limit: RequestHandler) => {
      const seen = new EventEmitter();
      const [began, ended] = [once(seen, "began"), once(seen, "ended")];
      const ask = await serve([limit], 0, (request, response, next) => {
        if (request.path !== "/hang") return next();
        response.once("close", () => seen.emit("ended"));
        seen.emit("began");
      });
      const hangUp = new AbortController();
      const gone = ask({ path: "/hang", signal: hangUp.signal }).catch(() => {});
      await began;
      hangUp.abort();
      await Promise.all([gone, ended]);
      return (await ask()).status;
    };
    const limiter = createLimiter({ key: clientIp(), limits: [perMinute(1)] });
    expect(await afterHangUp(rateLimit({ limiter, chargeAfter: () => 0 }))).toBe(429);
    expect(await afterHangUp(theirs({ limit: 1, skipFailedRequests: true }))).toBe(200);
  });

  it("Two middlewares", async () => {
    const byUser = createLimiter({ key: clientIp(), limits: [WINDOW] });
    const byAll = createLimiter({ key: () => "all", limits: [perMinute(1)] });
    const used = () => byUser.byKey("127.0.0.1").explain()[0]?.used;
    const [one, other] = [rateLimit({ limiter: byUser }), rateLimit({ limiter: byAll })];
    expect(await statusesOf(await serve([one, other]), [{}, {}])).toEqual([200, 429]);
    expect(used()).toBe(2);
    byUser.clear();
    byAll.clear();
    const both = await serve([rateLimit({ limiter: combine(byUser, byAll) })]);
    expect(await statusesOf(both, [{}, {}])).toEqual([200, 429]);
    expect(used()).toBe(1);

    const counted: number[] = [];
    const note: RequestHandler = (request, _response, next) => {
      counted.push((request as unknown as { rateLimit: { used: number } }).rateLimit.used);
      next();
    };
    expect(await statusesOf(await serve([theirs({}), note, theirs({ limit: 1 })]), [{}, {}])).toEqual([200, 429]);
    expect(counted).toEqual([1, 2]);
  });

  it("Denials", async () => {
    vi.useFakeTimers({ toFake: ["Date", "performance"] });
    const denied = await denialOf(ours({ limits: [perMinute(2)] }));
    expect(denied.headers).toMatchObject({ "retry-after": "30", "cache-control": "no-store" });
    expect(JSON.parse(denied.text)).toEqual({ error: "rate limit exceeded", retry_after_secs: 30 });
    const denial = await denialOf(theirs({ legacyHeaders: true }));
    expect([denial.headers["retry-after"], denial.text]).toEqual(["60", expect.stringContaining("Too many requests")]);
  });

  it("Partitions", async () => {
    const policyOf = async (limit: RequestHandler) => (await (await serve([limit]))()).headers["ratelimit-policy"];
    const limiter = createLimiter({ key: clientIp(), limits: [WINDOW] });
    expect(await policyOf(rateLimit({ limiter }))).not.toContain("pk=");
    expect(await policyOf(rateLimit({ limiter, partitionKey: () => "a" }))).toContain("pk=");
    expect(await policyOf(theirs({ standardHeaders: "draft-8" }))).toContain("pk=");
  });

  it("Memory is bounded", rivals.expectBoundedMemory);

  it("Windows", async () => {
    vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const ask = await serve([theirs({ windowMs: 2 ** 31, limit: 1 })]);
    await ask();
    await vi.waitFor(async () => expect((await ask()).status).toBe(200), { timeout: 10_000, interval: 1 });
    expect(slidingWindow({ limit: 1, window: "520w" }).windowMs).toBe(520 * 7 * 86_400_000);
  });
});

/** The third answer to requests, of which two are admitted. */
async function denialOf(limit: RequestHandler) {
  const ask = await serve([limit]);
  await statusesOf(ask, [{}, {}]);
  return ask();
}

describe(`the other rows of docs/${PAGE}`, () => {
  it("are run", ({ task }) => expect(rowsBeside(task)).toEqual(otherRowsOf(PAGE)));

  it("`limit: 0`", async () => {
    const denied = [theirs({ limit: 0 }), ours({ limits: () => "deny" })].map(async (limit) =>
      (await serve([limit]))(),
    );
    expect((await Promise.all(denied)).map(({ status }) => status)).toEqual([429, 403]);
  });

  it("no `keyGenerator`", () => {
    const limiter = createLimiter({ limits: [WINDOW] });
    expect(() => rateLimit({ limiter: limiter as never })).toThrow("key: clientIp()");
  });

  it("`ipv6Subnet: 56`, the default | Express's `trust proxy`", async () => {
    const clients = ["1::1", "2::1", "1::2"].map((end) => from(`2001:db8:0:${end}`));
    for (const [subnet, ipv6Prefix, statuses] of [
      [{}, 56, [200, 429, 429]],
      [{ ipv6Subnet: 56 }, 56, [200, 429, 429]],
      [{ ipv6Subnet: false }, 128, [200, 200, 200]],
    ] as const) {
      const there = await serve([theirs({ limit: 1, ...subnet })], 1);
      const here = await serve([ours({ limits: [perMinute(1)], key: clientIp({ trustProxy: 1, ipv6Prefix }) })]);
      expect([await statusesOf(there, clients), await statusesOf(here, clients)]).toEqual([statuses, statuses]);
    }
  });

  it("`message` | other statuses, `handler`", async () => {
    expect((await denialOf(ours({ denial: "json" }))).headers["content-type"]).toContain("application/json");
    expect((await denialOf(ours({ denial: "problem" }))).headers["content-type"]).toContain("application/problem+json");
    const onDenied = (_request: Request, response: Response) => void response.status(403).send("slow down");
    expect(await denialOf(ours({ onDenied }))).toMatchObject({ status: 403, text: "slow down" });
    expect(await denialOf(theirs({ handler: onDenied }))).toMatchObject({ status: 403, text: "slow down" });
    expect(await denialOf(theirs({ message: "slow down" }))).toMatchObject({ status: 429, text: "slow down" });
  });

  it('`standardHeaders: "draft-8"` | `identifier`', async () => {
    const headersOf = async (limit: RequestHandler) => (await (await serve([limit]))()).headers;
    const [byDefault, named] = [await headersOf(ours()), await headersOf(ours({ headers: "draft-11" }))];
    expect(named["ratelimit-policy"]).toBe(byDefault["ratelimit-policy"]);
    expect(await headersOf(theirs({ standardHeaders: "draft-8", identifier: "calls" }))).toMatchObject({
      "ratelimit-policy": expect.stringMatching(/^"calls"; q=2; w=60/),
      ratelimit: expect.stringMatching(/^"calls"; r=1; t=60/),
    });
    expect(await headersOf(ours({ limits: [fixedWindow({ limit: 2, window: "1m", name: "calls" })] }))).toMatchObject({
      "ratelimit-policy": expect.stringMatching(/^"calls";q=2;w=60/),
      ratelimit: expect.stringMatching(/^"calls";r=1;t=/),
    });
  });

  it("`legacyHeaders: true`, the default", async () => {
    const left = { "x-ratelimit-limit": "2", "x-ratelimit-remaining": "1" };
    for (const limit of [theirLimit({ windowMs: 60_000, limit: 2, validate: false }), ours({ headers: "legacy" })])
      expect((await (await serve([limit]))()).headers).toMatchObject(left);
    const both = await (await serve([ours({ headers: ["draft-11", "legacy"] })]))();
    expect(both.headers).toMatchObject({ ...left, ratelimit: expect.any(String) });
  });

  it("`limit` | `remaining` | `resetTime` | `used` | `limiter.resetKey(key)` | `limiter.getKey(key)`", async () => {
    vi.useFakeTimers({ toFake: ["Date", "performance"] });
    const limiter = createLimiter({ key: clientIp(), limits: [WINDOW] });
    const there = theirs({ requestPropertyName: "theirs" });
    const seen: unknown[] = [];
    const note: RequestHandler = (request, _response, next) => {
      const { theirs: their, rateLimit: decision } = request as Request & { theirs?: RateLimitInfo };
      if (their === undefined || decision === undefined) return next();
      const { limit, remaining, resetTime, used } = their;
      const resets = new Date(Date.now() + decision.resetMs);
      seen.push([limit, remaining, resetTime, used]);
      seen.push([decision.limit?.capacity, decision.remaining, resets, decision.used]);
      next();
    };
    const ask = await serve([there, rateLimit({ limiter }), note]);
    await ask();
    expect(seen[1]).toEqual(seen[0]);
    const theirKey = async () => (await (there as RateLimitRequestHandler).getKey("127.0.0.1"))?.totalHits ?? 0;
    expect([await theirKey(), rivals.unitsUsed(limiter)]).toEqual([1, [1]]);
    (there as RateLimitRequestHandler).resetKey("127.0.0.1");
    limiter.byKey("127.0.0.1").reset();
    expect([await theirKey(), rivals.unitsUsed(limiter)]).toEqual([0, [0]]);
  });

  it("`logger`", async () => {
    const key = () => {
      throw new Error("no key");
    };
    const logError = vi.fn<() => void>();
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    await (await serve([ours({ key, logError, onError: "allow" })]))();
    expect([logError.mock.calls.length, warn.mock.calls.length]).toEqual([1, 0]);
    await (await serve([ours({ key, onError: "allow" })]))();
    expect(warn).toHaveBeenCalledTimes(1);
  });
});
