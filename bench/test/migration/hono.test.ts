import { type Context, Hono, type MiddlewareHandler } from "hono";
import type { WSContext } from "hono/ws";
import { RedisStore, rateLimiter, webSocketLimiter } from "hono-rate-limiter";
import { createLimiter, fixedWindow, memoryStore, perHour, perMinute } from "tollgate";
import { clientIp, header, rateLimit, refundSuccesses } from "tollgate/hono";
import { storeContract } from "tollgate/testing";
import { describe, expect, it, vi } from "vitest";
import { claimsOf, otherRowsOf, rowsBeside, titlesBeside } from "./page.ts";
import * as rivals from "./rivals.ts";
import { type Ask, splitOptions, statusesOf } from "./rivals.ts";

const PAGE = "from-hono-rate-limiter.md";
const WINDOW = fixedWindow({ limit: 2, window: "1m", anchor: "first-use" });

type Options = Readonly<Record<string, unknown>>;

function appOf(limit: MiddlewareHandler): Hono {
  const app = new Hono();
  app.onError((_error, context) => context.text("failed", 500));
  app.use(limit);
  app.get("/fail", (context) => context.text("no", 401));
  app.get("/*", (context) => context.text("well"));
  return app;
}

function serve(limit: MiddlewareHandler): Ask {
  const app = appOf(limit);
  return async ({ path = "/", ...init } = {}) => {
    const response = await app.request(path, init);
    const text = await response.text();
    return { status: response.status, headers: Object.fromEntries(response.headers), text };
  };
}

function theirs(options: Options = {}): MiddlewareHandler {
  const keyGenerator = (context: Context) => context.req.header("x-user") ?? "one";
  return rateLimiter({ windowMs: 60_000, limit: 2, keyGenerator, ...options });
}

function ours(options: Options = {}): MiddlewareHandler {
  const [limiterOptions, adapter] = splitOptions(options);
  const key = header("x-user");
  const limiter = createLimiter({ name: "api", key, limits: [WINDOW], ...limiterOptions });
  return rateLimit({ limiter, ...adapter });
}

rivals.itBehavesTheSame(
  PAGE,
  { clientIp, refundSuccesses, fixedWindow, perMinute },
  async (options) => serve(theirs(options)),
  async (options) => serve(ours(options)),
);

describe(`docs/${PAGE}, on what behaves differently`, () => {
  it("makes the claims that are tested", ({ task }) => expect(claimsOf(PAGE)).toEqual(titlesBeside(task)));

  it("An outage of the store admits.", async () => {
    const redis = rivals.deadRedis();
    const client = {
      scriptLoad: (script: string) => redis.script("LOAD", script) as Promise<string>,
      evalsha: <Data>(sha: string, keys: string[], rest: unknown[]) =>
        redis.evalsha(sha, keys.length, ...keys, ...(rest as string[])) as Promise<Data>,
      decr: (key: string) => redis.decr(key),
      del: (key: string) => redis.del(key),
    };
    expect((await serve(theirs({ store: new RedisStore({ client }) }))()).status).toBe(500);
    const ofOurs = (options = {}) => serve(ours({ store: rivals.deadStore(options), onError: "deny" }))();
    expect([(await ofOurs()).status, (await ofOurs({ onFailure: "deny" })).status]).toEqual([200, 503]);
  });

  it("A token bucket refills all the time.", async () => {
    const ask = serve(theirs({ limit: 10 }));
    await rivals.expectBucketsAndWindows(async () => (await ask()).status === 200);
  });

  it("Addresses", async () => {
    const clients = ["192.0.2.1", "192.0.2.2"].map((address) => ({ headers: { "cf-connecting-ip": address } }));
    const limits = [perMinute(1)];
    expect(await statusesOf(serve(ours({ limits, key: clientIp() })), clients)).toEqual([200, 429]);
    const key = clientIp({ trustProxy: 1, addressHeader: "cf-connecting-ip" });
    expect(await statusesOf(serve(ours({ limits, key })), clients)).toEqual([200, 200]);
  });

  it("A denied request counts for nothing.", async () => {
    const used: number[] = [];
    const handler = (context: Context) => {
      used.push((context.get("rateLimit") as unknown as { used: number }).used);
      return context.text("denied", 429);
    };
    expect(await statusesOf(serve(theirs({ limit: 1, handler })), [{}, {}, {}])).toEqual([200, 429, 429]);
    expect(used).toEqual([2, 3]);
    const limiter = createLimiter({ key: () => "all", limits: [perMinute(1), perHour(9)] });
    expect(await statusesOf(serve(rateLimit({ limiter })), [{}, {}, {}])).toEqual([200, 429, 429]);
    expect(limiter.explain().map(({ used: units }) => Math.round(units))).toEqual([1, 1]);
  });

  it("Clients that hang up", async () => {
    const afterHangUp = async (limit: MiddlewareHandler) => {
      const app = appOf(limit);
      await (await app.request("/")).body?.cancel();
      return (await app.request("/")).status;
    };
    expect(await afterHangUp(ours({ limits: [perMinute(1)], chargeAfter: refundSuccesses() }))).toBe(429);
    expect(await afterHangUp(theirs({ limit: 1, skipSuccessfulRequests: true }))).toBe(200);
  });

  it("Denials", async () => {
    vi.useFakeTimers({ toFake: ["Date", "performance"] });
    const denialOf = async (ask: Ask) => {
      await statusesOf(ask, [{}, {}]);
      return ask();
    };
    const [here, there] = [await denialOf(serve(ours({ limits: [perMinute(2)] }))), await denialOf(serve(theirs()))];
    vi.useRealTimers();
    expect(here.headers).toMatchObject({ "retry-after": "30", "cache-control": "no-store" });
    expect(JSON.parse(here.text)).toEqual({ error: "rate limit exceeded", retry_after_secs: 30 });
    expect([there.headers["retry-after"], there.text]).toEqual(["60", expect.stringContaining("Too many requests")]);
  });

  it("Memory is bounded", rivals.expectBoundedMemory);
});

describe(`the other rows of docs/${PAGE}`, () => {
  it("are run", ({ task }) => expect(rowsBeside(task)).toEqual(otherRowsOf(PAGE)));

  it("`keyGenerator` that needs the context", async () => {
    const limiter = createLimiter<string>({ limits: [perMinute(1)] });
    const app = new Hono<{ Variables: { user: string } }>();
    app.use(async (context, next) => {
      context.set("user", context.req.header("x-user") ?? "");
      await next();
    });
    app.use(rateLimit({ limiter, input: (context: Context) => context.get("user") as string }));
    app.get("/", (context) => context.text("well"));
    const asked = ["ann", "bob", "ann"].map(async (user) => app.request("/", { headers: { "x-user": user } }));
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 429]);
  });

  it("`message` | other statuses, `handler` | `standardHeaders: false`", async () => {
    const denialOf = async (limit: MiddlewareHandler) => {
      const ask = serve(limit);
      await statusesOf(ask, [{}, {}]);
      return ask();
    };
    expect((await denialOf(ours({ denial: "json" }))).headers["content-type"]).toContain("application/json");
    expect((await denialOf(ours({ denial: "problem" }))).headers["content-type"]).toContain("application/problem+json");
    const onDenied = (context: Context) => context.text("slow down", 403);
    for (const limit of [ours({ onDenied }), theirs({ handler: onDenied })])
      expect(await denialOf(limit)).toMatchObject({ status: 403, text: "slow down" });
    expect(await denialOf(theirs({ message: "slow down" }))).toMatchObject({ status: 429, text: "slow down" });
    const headersOf = async (limit: MiddlewareHandler) =>
      Object.keys((await denialOf(limit)).headers).filter((name) => /ratelimit|retry/.test(name));
    expect(await headersOf(ours({ headers: false }))).toEqual(["retry-after"]);
    expect(await headersOf(theirs({ standardHeaders: false }))).toEqual([]);
  });

  it("`requestStorePropertyName`, `getKey`, `resetKey`", async () => {
    const limiter = createLimiter({ key: () => "one", limits: [WINDOW] });
    const app = new Hono();
    app.use(theirs({ requestPropertyName: "info", requestStorePropertyName: "store" }), rateLimit({ limiter }));
    const used = async (store: { getKey(key: string): Promise<{ totalHits: number } | undefined> }) => [
      (await store.getKey("one"))?.totalHits ?? 0,
      limiter.byKey("one").explain()[0]?.used,
    ];
    app.get("/", async (context) => {
      const { info, store, rateLimit: decision } = (context as Context).var;
      const before = await used(store);
      await store.resetKey("one");
      limiter.byKey("one").reset();
      return context.json([info.remaining, decision?.remaining, before, await used(store)]);
    });
    expect(await (await app.request("/")).json()).toEqual([1, 1, [1, 1], [0, 0]]);
  });

  it("`UnstorageStore`, stores of your own", () =>
    expect(() => storeContract(memoryStore as never)).toThrow("storeContract: "));

  it("`webSocketLimiter`", async () => {
    const closed: unknown[] = [];
    const limit = webSocketLimiter({ windowMs: 60_000, limit: 2, keyGenerator: () => "one" });
    const events = limit(() => ({ onMessage: () => void closed.push("well") }));
    const { onMessage } = await events({ set: () => {} } as unknown as Context);
    const receive = onMessage as unknown as (event: object, socket: WSContext) => Promise<void>;
    const socket = { close: () => closed.push("denied") } as unknown as WSContext;
    const limiter = createLimiter({ limits: [WINDOW] });
    const here: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      await receive({ data: "" }, socket);
      here.push(limiter.byKey("one").allow() ? "well" : "denied");
    }
    expect(here).toEqual(closed);
  });
});
