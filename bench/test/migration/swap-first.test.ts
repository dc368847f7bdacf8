import { once } from "node:events";
import type { AddressInfo } from "node:net";
import fastifyRateLimit from "@fastify/rate-limit";
import express from "express";
import { rateLimit } from "express-rate-limit";
import { fastify } from "fastify";
import { Hono } from "hono";
import { rateLimiter } from "hono-rate-limiter";
import { memoryStore, type Store } from "tollgate";
import { tollgateStore as expressStore } from "tollgate/express-rate-limit";
import { tollgateStore as fastifyStore } from "tollgate/fastify-rate-limit";
import { tollgateStore as honoStore } from "tollgate/hono-rate-limiter";
import { sharedStore } from "tollgate/shared";
import { tableStore } from "tollgate/table";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Answer, deadStore } from "./rivals.ts";

type Ask = (path: string) => Promise<Pick<Answer, "status" | "headers">>;

/** Their options, with a store or without. */
type Serve = (options: object, store?: Store | "default") => Promise<Ask>;

const serveExpress: Serve = async (options, store) => {
  const own = store === undefined ? {} : { store: expressStore(store === "default" ? {} : { store, name: "api" }) };
  const app = express();
  app.use(rateLimit({ windowMs: 60_000, limit: 2, standardHeaders: "draft-6", validate: false, ...own, ...options }));
  app.use((request, response) => void response.sendStatus(request.path === "/fail" ? 401 : 200));
  app.use((_error: unknown, _request: unknown, response: express.Response, _next: unknown) => {
    response.sendStatus(500);
  });
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return async (path) => {
    const { status, headers } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
    return { status, headers: Object.fromEntries(headers) };
  };
};

const serveHono: Serve = async (options, store) => {
  const own = store === undefined ? {} : { store: honoStore(store === "default" ? {} : { store, name: "api" }) };
  const app = new Hono();
  app.use(rateLimiter({ windowMs: 60_000, limit: 2, keyGenerator: () => "ann", ...own, ...options }));
  app.get("*", (context) => context.text("", context.req.path === "/fail" ? 401 : 200));
  app.onError((_error, context) => context.text("", 500));
  return async (path) => {
    const { status, headers } = await app.request(path);
    return { status, headers: Object.fromEntries(headers) };
  };
};

const serveFastify: Serve = async (options, store) => {
  const own = store === undefined ? {} : { store: fastifyStore(store === "default" ? {} : { store, name: "api" }) };
  const app = fastify();
  await app.register(fastifyRateLimit, { max: 2, timeWindow: 60_000, ...own, ...options });
  app.get("/", async () => "");
  app.get("/fail", async (_request, reply) => reply.code(401).send(""));
  app.get("/strict", { config: { rateLimit: { max: 1 } } }, async () => "");
  return async (path) => {
    const { statusCode, headers } = await app.inject(path);
    return { status: statusCode, headers };
  };
};

/** A path, and the milliseconds that pass before. */
const CALLS: readonly (readonly [path: string, afterMs: number])[] = [
  ["/fail", 0],
  ["/", 1_000],
  ["/", 1_000],
  ["/", 57_999],
  ["/", 1],
  ["/strict", 10_000],
  ["/strict", 0],
  ["/", 20_000],
  ["/", 60_000],
];

/** The answers in a time that the test moves. Express reads its timers itself, so only clocks are faked. */
async function answersOf(serve: Serve, options: object, store?: Store | "default") {
  vi.useFakeTimers({ toFake: ["Date", "performance"], now: Date.UTC(2026, 0, 1) });
  const ask = await serve(options, store);
  const answers: unknown[] = [];
  for (const [path, afterMs] of CALLS) {
    vi.advanceTimersByTime(afterMs);
    const { status, headers } = await ask(path);
    const limits = Object.entries(headers).filter(([name]) => /ratelimit|retry-after/.test(name));
    answers.push([path, status, Object.fromEntries(limits.map(([name, value]) => [name, String(value)]))]);
  }
  vi.useRealTimers();
  return answers;
}

const STORES: readonly (readonly [name: string, createStore: () => Store | "default"])[] = [
  ["memory of its own", () => "default"],
  ["memoryStore", () => memoryStore()],
  ["tableStore", () => tableStore({ maxKeys: 100 })],
  ["sharedStore", () => sharedStore({ maxKeys: 100 })],
];

const RIVALS: readonly (readonly [name: string, serve: Serve, options: readonly object[]])[] = [
  ["express-rate-limit", serveExpress, [{}, { skipFailedRequests: true }, { skipSuccessfulRequests: true }]],
  ["hono-rate-limiter", serveHono, [{}, { skipFailedRequests: true }, { skipSuccessfulRequests: true }]],
  ["@fastify/rate-limit", serveFastify, [{}, { ban: 1 }, { continueExceeding: true }]],
];

describe.each(RIVALS)("tollgateStore in %s", (_rival, serve, options) => {
  it.each(STORES)("answers as their memory does, over %s", async (_name, createStore) => {
    for (const one of options) expect(await answersOf(serve, one, createStore())).toEqual(await answersOf(serve, one));
  });

  it("leaves an outage to their options, unless the store has a fallback", async () => {
    const failing = await serve({}, deadStore());
    expect((await failing("/")).status).toBe(500);
    const passing = await serve({ passOnStoreError: true, skipOnError: true }, deadStore());
    if (serve !== serveHono) expect((await passing("/")).status).toBe(200);
    const counting = await serve({}, deadStore({ onFailure: { fallback: memoryStore(), share: 1 } }));
    expect([(await counting("/")).status, (await counting("/")).status, (await counting("/")).status]).toEqual([
      200, 200, 429,
    ]);
  });
});

describe("tollgateStore of express-rate-limit and hono-rate-limiter", () => {
  it("counts, takes back, never below 0, and forgets a key or all", async () => {
    const store = expressStore();
    store.init({ windowMs: 60_000 });
    for (const _ of [1, 2]) await store.increment("ann");
    await store.increment("bob");
    await store.decrement("ann");
    expect((await store.get("ann"))?.totalHits).toBe(1);
    for (const _ of [1, 2, 3]) await store.decrement("ann");
    expect([(await store.get("ann"))?.totalHits, (await store.increment("ann")).totalHits]).toEqual([0, 1]);
    await store.resetKey("ann");
    expect([await store.get("ann"), (await store.get("bob"))?.totalHits]).toEqual([undefined, 1]);
    await store.resetAll();
    expect(await store.get("bob")).toBe(undefined);
  });

  it("counts on after very many requests were taken back", async () => {
    const store = expressStore();
    store.init({ windowMs: 3_600_000 });
    for (let i = 0; i < 2 ** 13 + 9; i += 1) {
      await store.increment("ann");
      await store.decrement("ann");
    }
    expect([(await store.increment("ann")).totalHits, (await store.get("ann"))?.totalHits]).toEqual([1, 1]);
  });

  it("needs a name for a store outside this process", () => {
    expect(() => expressStore({ store: deadStore() })).toThrow("name");
  });
});

describe("tollgateStore of @fastify/rate-limit", () => {
  it("keeps a client out for longer with each call that exceeds the limit, under exponentialBackoff", async () => {
    vi.useFakeTimers({ toFake: ["Date", "performance"] });
    const ask = await serveFastify({ max: 1, exponentialBackoff: true }, "default");
    const seen: unknown[] = [];
    for (const afterMs of [0, 0, 59_999, 119_999, 239_999, 480_000]) {
      vi.advanceTimersByTime(afterMs);
      const { status, headers } = await ask("/");
      seen.push([status, headers["x-ratelimit-reset"]]);
    }
    expect(seen).toEqual([
      [200, "60"],
      [429, "60"],
      [429, "120"],
      [429, "240"],
      [429, "480"],
      [200, "60"],
    ]);
  });

  it("counts for each application, and for each of its routes with options of its own", async () => {
    const Store = fastifyStore();
    const one = new Store({});
    const stores = [one, new Store({}), one.child({}), one.child({}), one.child({}).child({})];
    const count = (store: typeof one) =>
      new Promise((resolve) => {
        store.incr("ann", (_error, result) => resolve(result?.current), 60_000, 9);
      });
    expect(await Promise.all([...stores, one].map(count))).toEqual([1, 1, 1, 1, 1, 2]);
  });
});
