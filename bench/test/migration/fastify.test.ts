import theirPlugin from "@fastify/rate-limit";
import { type FastifyInstance, type FastifyReply, fastify, type RouteShorthandOptions } from "fastify";
import { type BlockFor, createLimiter, type Denied, fixedWindow, memoryStore, perHour, perMinute } from "tollgate";
import { clientIp, factsOf, rateLimit, refundSuccesses } from "tollgate/fastify";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, vi } from "vitest";
import { claimsOf, otherRowsOf, rowsBeside, titlesBeside } from "./page.ts";
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

describe(`the other rows of docs/${PAGE}`, () => {
  it("are run", ({ task }) =>
    expect(rowsBeside(task).filter((row) => !row.startsWith("limits only"))).toEqual(otherRowsOf(PAGE)));

  it("no `keyGenerator`", async () => {
    const limiter = createLimiter({ limits: [WINDOW] }) as never;
    await expect(serve((app) => app.register(rateLimit, { limiter }))).rejects.toThrow("key: clientIp()");
  });

  it("`ipv6Subnet: 56` | Fastify's `trustProxy`", async () => {
    const clients = ["2001:db8:0:1::1", "2001:db8:0:2::1", "2001:db8:0:1::2"].map(from);
    const limits = [perMinute(1)];
    for (const [subnet, statuses] of [
      [{}, [200, 200, 429]],
      [{ ipv6Subnet: 56 }, [200, 429, 429]],
    ] as const) {
      const prefix = "ipv6Subnet" in subnet ? { ipv6Prefix: 56 } : {};
      expect(await statusesOf(await theirs({ max: 1, ...subnet }, true), clients)).toEqual(statuses);
      expect(await statusesOf(await ours({ limits, key: clientIp({ trustProxy: 1, ...prefix }) }), clients)).toEqual(
        statuses,
      );
    }
  });

  it("`global: false` | `config: { rateLimit: { max: 3 } }` | `groupId`", async () => {
    const asked = [{}, {}, {}, {}, { path: "/health" }];
    const limiter = createLimiter({ key: clientIp(), limits: [perMinute(3)] });
    const config = { rateLimit: { limiter } as never };
    const statuses = async (ask: Promise<Ask>) => (await statusesOf(await ask, asked)).join(" ");
    for (const off of [theirs({ global: false }), ours({ global: false })])
      expect(await statuses(off)).toBe("200 200 200 200 200");
    expect(await statuses(ours({ global: false, config: { rateLimit: true as never } }))).toBe("200 200 429 429 429");
    // In their memory each route counts for itself, whatever its group.
    expect(await statuses(theirs({ config: { rateLimit: { max: 3, groupId: "a" } } }))).toBe("200 200 200 429 200");
    expect(await statuses(ours({ config }))).toBe("200 200 200 429 429");
    expect((await (await ours({ headers: "legacy", config }))()).headers).not.toHaveProperty("x-ratelimit-limit");
  });

  it('`hook: "preHandler"`', async () => {
    const orderOf = async (hook: "onRequest" | "preHandler") => {
      const seen: string[] = [];
      const skip = () => seen.push("limit") < 0;
      const ask = await serve(async (app) => {
        app.addHook("preValidation", async () => void seen.push("validation"));
        await app.register(rateLimit, { limiter: createLimiter({ key: clientIp(), limits: [WINDOW] }), hook, skip });
      });
      await ask();
      return seen;
    };
    expect([await orderOf("onRequest"), await orderOf("preHandler")]).toEqual([
      ["limit", "validation"],
      ["validation", "limit"],
    ]);
    await expect(ours({ hook: "preParsing" })).rejects.toThrow("hook: expected");
  });

  it("`ban` | `exponentialBackoff: true` | `continueExceeding: true`", async () => {
    const deniedAt = (blockFor: BlockFor, times: readonly number[]) => {
      const clock = manualClock(0);
      const limiter = createLimiter({ limits: [fixedWindow({ ...ONCE, blockFor })], clock });
      return times.map((seconds) => {
        clock.set(seconds * 1_000);
        return limiter.allow("one");
      });
    };
    expect(deniedAt("10m", [0, 0, 0, 599, 600]).map(Number).join("")).toBe("11001");
    const durations = { durations: ["1m", "2m", "4m"], forgetAfter: "1d" } as const;
    expect(deniedAt(durations, [0, 0, 0, 60, 60, 60, 179, 180]).map(Number).join("")).toBe("11011001");
    const blocking = await ours({ limits: [fixedWindow({ ...ONCE, blockFor: "10m" })] });
    expect(await statusesOf(blocking, [{}, {}, {}])).toEqual([200, 200, 429]);
    vi.useFakeTimers({ toFake: ["Date"], now: 0 });
    const there = await theirs({ continueExceeding: true });
    const times = [0, 0, 0, 50, 100, 160, 160, 160];
    for (const [index, allowed] of deniedAt({ duration: "1m", extend: true }, times).entries()) {
      vi.setSystemTime(times[index]! * 1_000);
      expect((await there()).status === 200).toBe(allowed);
    }
  });

  it("`cache: 5000`", () =>
    expect([memoryStore().maxKeys, memoryStore({ maxKeys: 5_000 }).maxKeys]).toEqual([1_000_000, 5_000]));

  it("`errorResponseBuilder`, `onExceeded`, `onBanReach` | `onExceeding`", async () => {
    const seen: (boolean | undefined)[] = [];
    const limiter = createLimiter({ key: clientIp(), limits: [perMinute(1)] });
    const ask = await serve(async (app) => {
      const onDenied = (_request: unknown, reply: FastifyReply, { reason }: Denied) => reply.send(reason);
      await app.register(rateLimit, { limiter, onDenied });
      app.addHook("preHandler", async (request) => void seen.push(request.rateLimit?.allowed));
    });
    expect([(await ask()).text, (await ask()).text, seen]).toEqual(["well", "exhausted", [true]]);
  });

  it("`enableDraftSpec: true` | `addHeaders`, `addHeadersOnExceeding`", async () => {
    const headersOf = async (ask: Ask) =>
      Object.keys((await ask()).headers).filter((name) => name.includes("ratelimit"));
    expect(await headersOf(await ours({ headers: "draft-6" }))).toEqual(
      expect.arrayContaining(await headersOf(await theirs({ enableDraftSpec: true }))),
    );
    expect(await headersOf(await ours({ headers: "draft-11" }))).toEqual(await headersOf(await ours()));
    expect(await headersOf(await ours({ headers: false }))).toEqual([]);
  });

  it("`app.createRateLimit()` | `checkRateLimit(request, { increment: false })`", async () => {
    const limiter = createLimiter({ key: clientIp(), limits: [WINDOW] });
    const app = fastify();
    await app.register(theirPlugin, { global: false, max: 2, timeWindow: 60_000 });
    const check = app.createRateLimit();
    app.get("/", async (request) => {
      const left = ({ remaining, isExceeded }: { remaining: number; isExceeded: boolean }) => [remaining, !isExceeded];
      const there = [await check(request), await check(request, { increment: false }), await check(request)];
      const facts = factsOf(request);
      const here = [limiter.consume(facts), limiter.peek(facts, 0), limiter.consume(facts)];
      return { there: there.map((one) => left(one as never)), here: here.map((one) => [one.remaining, one.allowed]) };
    });
    const { there, here } = (await app.inject("/")).json<{ there: unknown; here: unknown }>();
    expect(here).toEqual(there);
  });

  it("limits only failures by refundSuccesses, unknown routes, and no routes of the other plugin", async () => {
    const limiter = createLimiter({ key: clientIp(), limits: [WINDOW] });
    const both = async (app: FastifyInstance) => app.register(theirPlugin).register(rateLimit, { limiter });
    await expect(serve(both, { config: { rateLimit: { max: 1 } } })).rejects.toThrow('unknown option "max"');
    const ask = await ours({ chargeAfter: refundSuccesses() });
    expect(await statusesOf(ask, [{}, {}, {}, { path: "/fail" }, { path: "/none" }, {}])).toEqual([
      200, 200, 200, 401, 404, 429,
    ]);
  });
});
