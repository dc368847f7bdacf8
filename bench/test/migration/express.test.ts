import { EventEmitter, once } from "node:events";
import type { AddressInfo } from "node:net";
import express, { type Express, type Request, type RequestHandler, type Response } from "express";
import { rateLimit as theirLimit } from "express-rate-limit";
import type { Redis } from "ioredis";
import { type RedisReply, RedisStore } from "rate-limit-redis";
import { combine, createLimiter, fixedWindow, perHour, perMinute, slidingWindow } from "tollgate";
import { clientIp, rateLimit, refundSuccesses } from "tollgate/express";
import { afterEach, describe, expect, it, vi } from "vitest";
import { claimsOf, titlesBeside } from "./page.ts";
import * as rivals from "./rivals.ts";
import { type Ask, splitOptions, statusesOf } from "./rivals.ts";

const PAGE = "from-express-rate-limit.md";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
  vi.useRealTimers();
});

async function serve(limits: readonly RequestHandler[], trustProxy = 0, handler?: RequestHandler): Promise<Ask> {
  const app: Express = express().set("trust proxy", trustProxy);
  for (const limit of limits) app.use(limit);
  if (handler !== undefined) app.use(handler);
  app.get("/fail", (_request, response) => void response.sendStatus(401));
  app.use((_request: Request, response: Response) => void response.send("well"));
  app.use((_error: unknown, _request: Request, response: Response, _next: unknown) => void response.sendStatus(500));
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return async ({ path = "/", ...init } = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
    return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
  };
}

type TheirOptions = NonNullable<Parameters<typeof theirLimit>[0]>;

function theirs(options: TheirOptions): RequestHandler {
  return theirLimit({ windowMs: 60_000, limit: 2, legacyHeaders: false, validate: false, ...options });
}

const WINDOW = fixedWindow({ limit: 2, window: "1m", anchor: "first-use" });

rivals.itBehavesTheSame(
  PAGE,
  { clientIp, refundSuccesses, fixedWindow, perMinute },
  async (options) => serve([theirs(options)]),
  async (options) => {
    const [limiter, adapter] = splitOptions(options);
    return serve([
      rateLimit({ limiter: createLimiter({ key: clientIp(), limits: [WINDOW], ...limiter }), ...adapter }),
    ]);
  },
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
    const ours = await serve([rateLimit({ limiter })]);
    expect(await statusesOf(ours, addresses)).toEqual([200, 200, 429]);
    const embedded = ["192.0.2.1", "::ffff:192.0.2.1", "64:ff9b::192.0.2.1", "2002:c000:201::1"].map(from);
    expect(await statusesOf(ours, embedded)).toEqual([200, 429, 429, 429]);
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
    const limiter = createLimiter({ key: clientIp(), limits: [perMinute(2)] });
    const denialOf = async (limit: RequestHandler) => {
      const ask = await serve([limit]);
      await statusesOf(ask, [{}, {}]);
      return ask();
    };
    const ours = await denialOf(rateLimit({ limiter }));
    expect(ours.headers).toMatchObject({ "retry-after": "30", "cache-control": "no-store" });
    expect(JSON.parse(ours.text)).toEqual({ error: "rate limit exceeded", retry_after_secs: 30 });
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
    vi.restoreAllMocks();
    expect(slidingWindow({ limit: 1, window: "520w" }).windowMs).toBe(520 * 7 * 86_400_000);
  });
});
