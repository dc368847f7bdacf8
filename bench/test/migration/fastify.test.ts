import theirPlugin from "@fastify/rate-limit";
import { type FastifyInstance, fastify, type RouteShorthandOptions } from "fastify";
import { createLimiter, fixedWindow, memoryStore, perHour, perMinute } from "tollgate";
import { clientIp, rateLimit, refundSuccesses } from "tollgate/fastify";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { claimsOf, titlesBeside } from "./page.ts";
import * as rivals from "./rivals.ts";
import { type Ask, splitOptions, statusesOf } from "./rivals.ts";

const PAGE = "from-fastify-rate-limit.md";
const ONCE = { limit: 2, window: "1m", anchor: "first-use" } as const;
const WINDOW = fixedWindow(ONCE);

type Options = Readonly<Record<string, unknown>> & Pick<RouteShorthandOptions, "config">;

async function serve(
  register: (app: FastifyInstance) => unknown,
  route: RouteShorthandOptions = {},
  trustProxy = false,
): Promise<Ask> {
  const app = fastify({ trustProxy });
  await register(app);
  app.get("/fail", route, async (_request, reply) => reply.code(401).send("no"));
  for (const path of ["/", "/health"]) app.get(path, route, async () => "well");
  return async ({ path = "/", headers = {} } = {}) => {
    const { statusCode, headers: received, body } = await app.inject({ url: path, headers });
    return { status: statusCode, headers: received, text: body };
  };
}

function theirs({ config, ...options }: Options = {}, trustProxy = false): Promise<Ask> {
  const all = { max: 2, timeWindow: 60_000, ...options };
  return serve((app) => app.register(theirPlugin, all), config === undefined ? {} : { config }, trustProxy);
}

function ours({ config, ...options }: Options = {}, trustProxy = false): Promise<Ask> {
  const [limiterOptions, plugin] = splitOptions(options);
  const limiter = createLimiter({ name: "api", key: clientIp(), limits: [WINDOW], ...limiterOptions });
  const route = config === undefined ? {} : { config };
  return serve((app) => app.register(rateLimit, { limiter, ...plugin }), route, trustProxy);
}

rivals.itBehavesTheSame(PAGE, { clientIp, refundSuccesses, fixedWindow, perMinute }, theirs, ours);

const from = (address: string) => ({ headers: { "x-forwarded-for": address } });

describe(`docs/${PAGE}, on what behaves differently`, () => {
  it("makes the claims that are tested", ({ task }) => expect(claimsOf(PAGE)).toEqual(titlesBeside(task)));

  it("An outage of the store admits.", async () => {
    const ofTheirs = async (skipOnError: boolean) => (await theirs({ redis: rivals.deadRedis(), skipOnError }))();
    expect([(await ofTheirs(false)).status, (await ofTheirs(true)).status]).toEqual([500, 200]);
    const ofOurs = async (options = {}) => (await ours({ store: rivals.deadStore(options), onError: "deny" }))();
    expect([(await ofOurs()).status, (await ofOurs({ onFailure: "deny" })).status]).toEqual([200, 503]);
  });

  it("A token bucket refills all the time.", async () => {
    const ask = await theirs({ max: 10 });
    await rivals.expectBucketsAndWindows(async () => (await ask()).status === 200);
  });

  it("A denied request counts for nothing.", async () => {
    expect(await statusesOf(await theirs({ max: 1, ban: 1 }), [{}, {}, {}])).toEqual([200, 429, 403]);
    const limits = [perMinute(1), perHour(9)];
    const limiter = createLimiter({ key: clientIp(), limits });
    const ask = await serve((app) => app.register(rateLimit, { limiter }));
    expect(await statusesOf(ask, [{}, {}, {}])).toEqual([200, 429, 429]);
    expect(rivals.unitsUsed(limiter)).toEqual([1, 1]);
  });

  it("Proxies", async () => {
    const clients = ["192.0.2.1", "192.0.2.2"].map(from);
    const limits = [perMinute(1)];
    expect(await statusesOf(await ours({ limits }, true), clients)).toEqual([200, 429]);
    expect(await statusesOf(await ours({ limits, key: clientIp({ trustProxy: 1 }) }), clients)).toEqual([200, 200]);
    expect(await statusesOf(await theirs({ max: 1 }, true), clients)).toEqual([200, 200]);
  });

  it("No client that is being limited is evicted.", async () => {
    const asked = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.1"].map(from);
    expect(await statusesOf(await theirs({ max: 1, cache: 2 }, true), asked)).toEqual([200, 200, 200, 200]);
    const store = memoryStore({ maxKeys: 2, warnings: false });
    const ask = await ours({ store, key: clientIp({ trustProxy: 1 }), limits: [perMinute(1)] });
    expect((await statusesOf(ask, asked)).at(-1)).toBe(429);
  });

  it("A denial is a reply, not an error", async () => {
    const handled = async (register: (app: FastifyInstance) => unknown) => {
      const ask = await serve((app) => {
        app.setErrorHandler((_error, _request, reply) => reply.code(418).send());
        return register(app);
      });
      return statusesOf(ask, [{}, {}]);
    };
    const limiter = createLimiter({ key: clientIp(), limits: [perMinute(1)] });
    expect(await handled((app) => app.register(rateLimit, { limiter }))).toEqual([200, 429]);
    expect(await handled((app) => app.register(theirPlugin, { max: 1 }))).toEqual([200, 418]);
  });

  it("`X-RateLimit-Reset`", async () => {
    const [there, here] = [await (await theirs())(), await (await ours({ headers: "legacy" }))()];
    expect(Number(there.headers["x-ratelimit-reset"])).toBeLessThanOrEqual(60);
    expect(Number(here.headers["x-ratelimit-reset"])).toBeGreaterThan(Date.now() / 1_000);
  });

  it("Wrong options throw", async () => {
    const limited = await theirs({ max: "two" });
    expect((await limited()).headers["x-ratelimit-limit"]).toBe("1000");
    await expect(ours({ status: 200 })).rejects.toThrow("status: expected");
    await expect(ours({ config: { rateLimit: { limiter: "none" } as never } })).rejects.toThrow("limiter: expected");
  });
});

describe(`the tables of docs/${PAGE}`, () => {
  it("have a block that denied calls extend, as continueExceeding does", async () => {
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ["Date"], now: 0 });
    const there = await theirs({ continueExceeding: true });
    const clock = manualClock(0);
    const limits = [fixedWindow({ ...ONCE, blockFor: { duration: "1m", extend: true } })];
    const here = createLimiter({ limits, clock });
    for (const now of [0, 0, 0, 50_000, 100_000, 160_000, 160_000, 160_000]) {
      vi.setSystemTime(now);
      clock.set(now);
      expect(here.allow("one")).toBe((await there()).status === 200);
    }
  });
});
