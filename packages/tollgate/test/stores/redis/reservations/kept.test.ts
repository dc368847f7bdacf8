import {
  type AsyncLimiter,
  type Cost,
  combine,
  concurrency,
  createLimiter,
  fixedWindow,
  type Limit,
  memoryStore,
  slidingWindow,
  tokenBucket,
} from "tollgate";
import { createLimits } from "tollgate/config";
import { hybridStore } from "tollgate/hybrid";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { freshPrefix, openStore, useRedis } from "../kit/use-redis.ts";

const inUse = useRedis();
const REQUESTS = fixedWindow({ name: "requests", limit: 100, window: "1d" });
const TOKENS = slidingWindow({ name: "tokens", limit: 1_000, window: "1d", unit: "tokens" });
const LIMITS = [
  REQUESTS,
  TOKENS,
  tokenBucket({ name: "bytes", capacity: 5_000, refill: 1, per: "1d", unit: "bytes" }),
  fixedWindow({ name: "cents", limit: 900, window: "month", timeZone: "UTC", unit: "cents" }),
  concurrency({ name: "streams", max: 3, ttl: "1h" }),
];
const ALL = { requests: 2, tokens: 50, bytes: 10, cents: 5 };

/** A limiter in a process, its store, and the store of another process. */
function processes(limits: readonly Limit[] = LIMITS) {
  const prefix = freshPrefix();
  const [here, there] = [inUse.redis.store({ prefix }), inUse.redis.store({ prefix })];
  return { limiter: createLimiter({ name: "api", limits, store: here }), here, there, prefix };
}

async function keep(limiter: AsyncLimiter, cost: Cost = ALL): Promise<string> {
  return (await limiter.reserve("ann", cost)).keep("10m");
}

async function usedOf(limiter: AsyncLimiter<never>, input: unknown = "ann"): Promise<number[]> {
  return (await limiter.explain(input as never)).map(({ used }) => used);
}

describe("a reservation that the store keeps", () => {
  it("is charged, renewed and settled by another process, under every algorithm", async () => {
    const { limiter, there } = processes();
    const reservation = there.reservation(await keep(limiter));
    expect(await reservation.charge({ tokens: 7, bytes: 5, cents: 1 })).toBe(true);
    expect(await usedOf(limiter)).toEqual([2, 57, 15, 6, 1]);
    expect(await reservation.renew()).toBe(true);
    expect(await reservation.settle({ tokens: 30, bytes: 40, "concurrent-requests": 3 })).toBe(true);
    expect(await usedOf(limiter)).toEqual([2, 30, 40, 6, 0]);
  });

  it("tells whether a charge conformed", async () => {
    const { limiter, there } = processes([REQUESTS]);
    const reservation = there.reservation(await keep(limiter, 90));
    expect([await reservation.charge(10), await reservation.charge(1)]).toEqual([true, false]);
    expect(await usedOf(limiter)).toEqual([101]);
    expect(await reservation.settle(5)).toBe(true);
    expect(await usedOf(limiter)).toEqual([5]);
  });

  it("counts once: later verbs of every process say that it is over", async () => {
    const { limiter, here, there } = processes();
    const id = await keep(limiter);
    expect(await there.reservation(id).cancel()).toBe(true);
    for (const reservation of [there.reservation(id), here.reservation(id)]) {
      expect([await reservation.settle({ tokens: 9 }), await reservation.cancel(), await reservation.renew()]).toEqual([
        false,
        false,
        false,
      ]);
      await expect(reservation.charge(1)).rejects.toMatchObject({ code: "ERR_CLOSED" });
    }
    expect(await usedOf(limiter)).toEqual([0, 0, 0, 0, 0]);
  });

  it("is over where it was made, with what was charged there", async () => {
    const { limiter, there } = processes();
    const reserved = await limiter.reserve("ann", ALL);
    await reserved.charge({ tokens: 5 });
    const id = await reserved.keep("10m");
    await reserved.settle({ tokens: 1 });
    await reserved.cancel();
    expect(await reserved.renew()).toBe(false);
    await expect(reserved.charge(1)).rejects.toMatchObject({ code: "ERR_CLOSED" });
    await expect(reserved.keep("10m")).rejects.toMatchObject({ code: "ERR_CLOSED" });
    expect(await usedOf(limiter)).toEqual([2, 55, 10, 5, 1]);
    expect(await there.reservation(id).cancel()).toBe(true);
    expect(await usedOf(limiter)).toEqual([0, 0, 0, 0, 0]);
  });

  it("is given back once: refunds of its decisions give nothing back where it was made", async () => {
    const { limiter, here, there } = processes([REQUESTS, TOKENS]);
    await limiter.consume("ann", { requests: 20, tokens: 20 });
    const reserved = await limiter.reserve("ann", { requests: 10, tokens: 10 });
    const charged = await reserved.charge({ tokens: 5 });
    await limiter.refund("ann", { requests: 4 }, reserved.decision);
    here.bypass = true;
    await expect(reserved.keep("1m")).rejects.toMatchObject({ code: "ERR_STORE" });
    here.bypass = false;
    await limiter.refund("ann", { requests: 1 }, reserved.decision);
    const id = await reserved.keep("1m");
    await limiter.refund("ann", { requests: 10, tokens: 10 }, reserved.decision);
    await limiter.refund("ann", { tokens: 5 }, charged);
    expect(await usedOf(limiter)).toEqual([25, 35]);
    expect(await there.reservation(id).cancel()).toBe(true);
    expect(await usedOf(limiter)).toEqual([20, 20]);
    await limiter.refund("ann", { requests: 10, tokens: 10 }, reserved.decision);
    expect(await usedOf(limiter)).toEqual([20, 20]);
  });

  it("is one script call to keep, and two for each verb", async () => {
    const { limiter, there } = processes();
    const reserved = await limiter.reserve("ann", ALL);
    let id = "";
    const keeping = await inUse.redis.callsOf(async () => {
      id = await reserved.keep("10m");
    });
    expect(keeping).toBe(1);
    expect(await inUse.redis.callsOf(() => there.reservation(id).settle({ tokens: 3, bytes: 90 }))).toBe(2);
  });

  it("is settled in one script call with many others, but not with one that rewrites a long ring", async () => {
    const long = slidingWindow({ limit: 4_000, window: "1d", resolution: 0 });
    const [few, many] = [processes([REQUESTS]), processes([long])];
    const ids = await Promise.all(Array.from({ length: 40 }, () => keep(few.limiter, 2)));
    const settled = () => Promise.all(ids.map((id) => few.there.reservation(id).settle(1)));
    // Receipts that are read in two calls may come back in two turns, and are then changed in two.
    expect(await inUse.redis.callsOf(settled)).toBeLessThanOrEqual(4);
    const both = [await keep(many.limiter, 1), await keep(many.limiter, 1)];
    expect(await inUse.redis.callsOf(() => Promise.all(both.map((id) => many.there.reservation(id).cancel())))).toBe(3);
    expect([await usedOf(few.limiter), await usedOf(many.limiter)]).toEqual([[40], [0]]);
  });

  it("has an id of its own that cannot be guessed, in one key that expires", async () => {
    const { limiter, there, prefix } = processes();
    const ids = [await keep(limiter), await keep(limiter), await keep(limiter)];
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) {
      expect(id).toMatch(/^[\w-]{28}$/);
      const left = Number(await inUse.redis.command("PTTL", `${prefix}:reservation:{${id}}`));
      expect(left).toBeGreaterThan(590_000);
      expect(left).toBeLessThanOrEqual(600_000);
    }
    expect(await limiter.size()).toBe(1);
    await there.reservation(ids[0]!).settle();
    expect(await inUse.redis.command("EXISTS", `${prefix}:reservation:{${ids[0]}}`)).toBe(0);
  });

  it("counts as settled at what is reserved after its time", async () => {
    const clock = manualClock(1_790_000_000_000);
    const store = inUse.redis.storeByClock();
    const limiter = createLimiter({ name: "api", limits: [REQUESTS, LIMITS[4]!], store, clock });
    const id = await (await limiter.reserve("ann", 4)).keep("1m");
    clock.advance(50_000);
    expect(await store.reservation(id).renew()).toBe(true);
    clock.advance(50_000);
    expect(await store.reservation(id).charge(1)).toBe(true);
    clock.advance(10_000);
    expect([await store.reservation(id).settle(1), await store.reservation(id).cancel()]).toEqual([false, false]);
    expect(await usedOf(limiter)).toEqual([5, 1]);
  });

  it("stays when a cost is refused", async () => {
    const { limiter, there } = processes([REQUESTS, TOKENS]);
    const id = await keep(limiter, { requests: 1, tokens: 9 });
    for (const cost of [{ tokens: -1 }, { tokens: 0.5 }, { words: 1 }, Number.NaN, "1" as never, null as never]) {
      await expect(there.reservation(id).settle(cost)).rejects.toMatchObject({ code: "ERR_COST" });
      await expect(there.reservation(id).charge(cost)).rejects.toMatchObject({ code: "ERR_COST" });
    }
    await expect(there.reservation(id).charge({ "concurrent-requests": 1 })).rejects.toMatchObject({
      code: "ERR_COST",
    });
    expect(await there.reservation(id).settle({ tokens: 2 })).toBe(true);
    expect(await usedOf(limiter)).toEqual([1, 2]);
  });

  it("gives back nothing after a reset, and charges all the same", async () => {
    const { limiter, there } = processes();
    const id = await keep(limiter);
    await limiter.reset("ann");
    await limiter.reserve("ann", { requests: 1, tokens: 20, bytes: 4, cents: 3 });
    expect(await there.reservation(id).settle({ requests: 0, tokens: 60, bytes: 0, cents: 0 })).toBe(true);
    expect(await usedOf(limiter)).toEqual([1, 30, 4, 3, 1]);
  });

  it("is kept beside a window by the calendar for as long as that is known", async () => {
    const month = fixedWindow({ name: "cents", limit: 900, window: "month", timeZone: "UTC", unit: "cents" });
    const { limiter, there } = processes([month, REQUESTS]);
    const reserved = await limiter.reserve("ann", { cents: 9, requests: 1 });
    await expect(reserved.keep("100d")).rejects.toMatchObject({ code: "ERR_DURATION" });
    const reservation = there.reservation(await reserved.keep("10d"));
    expect(await reservation.charge({ cents: 4 })).toBe(true);
    expect(await reservation.renew()).toBe(true);
    expect(await reservation.settle({ cents: 20, requests: 0 })).toBe(true);
    expect(await usedOf(limiter)).toEqual([20, 0]);
  });

  it("is corrected under the numbers and the order that its limits have by now, and without those that are gone", async () => {
    const prefix = freshPrefix();
    const make = (limits: readonly Limit[]) =>
      createLimiter({ name: "api", limits, store: inUse.redis.store({ prefix }) });
    const [before, fresh] = [make([REQUESTS, TOKENS]), fixedWindow({ name: "fresh", limit: 50, window: "1d" })];
    const id = await keep(before, { requests: 3, tokens: 50 });
    const after = make([fresh, slidingWindow({ name: "tokens", limit: 5_000, window: "1d", unit: "tokens" })]);
    await after.consume("ann", { requests: 2, tokens: 1 });
    const store = inUse.redis.store({ prefix });
    expect(await store.reservation(id).settle({ requests: 1, tokens: 20 })).toBe(true);
    expect(await usedOf(after)).toEqual([2, 21]);
  });

  it("is not corrected by a store with another prefix", async () => {
    const { limiter, there } = processes();
    const id = await keep(limiter);
    expect(await inUse.redis.store().reservation(id).cancel()).toBe(false);
    expect(await there.reservation(id).cancel()).toBe(true);
  });

  it("is settled, and denials of before are forgotten: another call passes at once", async () => {
    const { limiter, here } = processes([fixedWindow({ limit: 100, window: "1d" })]);
    const id = await keep(limiter, 100);
    expect(await limiter.allow("ann")).toBe(false);
    expect(await here.reservation(id).settle(99)).toBe(true);
    expect([await limiter.allow("ann"), await limiter.allow("ann")]).toEqual([true, false]);
  });

  it.each([-100, 100])("is corrected whatever the clock of its process says: %i days", async (days) => {
    const { here, there } = processes();
    const clock = { now: () => Date.now() + days * 86_400_000 };
    const limiter = createLimiter({ name: "api", limits: LIMITS, store: here, clock });
    const id = await keep(limiter);
    await there.reservation(id).charge({ bytes: 7 });
    expect(await there.reservation(id).settle({ requests: 1, tokens: 1, bytes: 1, cents: 1 })).toBe(true);
    expect(await usedOf(limiter)).toEqual([1, 1, 1, 1, 0]);
  });

  it("stays when the store is unavailable, and can be settled later", async () => {
    const { limiter, there } = processes([REQUESTS]);
    const id = await keep(limiter, 5);
    there.bypass = true;
    for (const verb of ["settle", "cancel", "renew"] as const)
      await expect(there.reservation(id)[verb]()).rejects.toMatchObject({ code: "ERR_STORE" });
    there.bypass = false;
    expect(await there.reservation(id).settle(2)).toBe(true);
    expect(await usedOf(limiter)).toEqual([2]);
  });

  it("joins its charges when there are many", async () => {
    const { limiter, there, prefix } = processes();
    const id = await keep(limiter);
    for (let i = 0; i < 150; i += 1) await there.reservation(id).charge({ tokens: 2 });
    expect(Number(await inUse.redis.command("STRLEN", `${prefix}:reservation:{${id}}`))).toBeLessThan(14_000);
    expect(await usedOf(limiter)).toEqual([2, 350, 10, 5, 1]);
    expect(await there.reservation(id).settle({ tokens: 1 })).toBe(true);
    expect(await usedOf(limiter)).toEqual([2, 1, 10, 5, 0]);
  });

  it.each([
    ["the letters of another format", "x2 1 9000000000000000 whatever"],
    ["a later format", "r2 1 9000000000000000 60000000 %5B%5D"],
    ["a row", "\u0001aaaaaaa"],
    ["nothing", ""],
  ])("is refused clearly as %s", async (_what, value) => {
    const { limiter, there, prefix } = processes([REQUESTS]);
    const id = await keep(limiter, 5);
    await inUse.redis.command("SET", `${prefix}:reservation:{${id}}`, value);
    await expect(there.reservation(id).settle(1)).rejects.toThrow(/expected a receipt of format r1/);
    expect(await usedOf(limiter)).toEqual([5]);
  });
});

describe("an id of a reservation", () => {
  it.each([
    ...["", "x", "0".repeat(28), "-".repeat(28), `${"a".repeat(22)}888888`, "a".repeat(1_000)],
    ...["}{a*?\\", "../../etc", "\u0000\ud800", "api:reservation:{ann}", ` ${"0".repeat(28)}`, `${"0".repeat(28)}\n`],
  ])("that no process has given is one that is over: %j", async (id) => {
    const { limiter, there } = processes();
    const reservation = there.reservation(id);
    const ended = [await reservation.settle(1), await reservation.cancel(), await reservation.renew()];
    expect(ended).toEqual([false, false, false]);
    await expect(reservation.charge(1)).rejects.toMatchObject({ code: "ERR_CLOSED" });
    expect(await limiter.size()).toBe(0);
  });

  it("is a string", () => {
    const { there } = processes();
    for (const id of [undefined, 7, null, {}, ["a"]])
      expect(() => there.reservation(id as never)).toThrow(expect.objectContaining({ code: "ERR_OPTION" }));
  });
});

describe("keep", () => {
  it("is refused over a store that keeps no reservations, and the reservation stays open", async () => {
    const hybrid = hybridStore({ client: inUse.redis.client, prefix: freshPrefix() });
    const limiter = createLimiter({ name: "api", limits: [REQUESTS], store: hybrid });
    const reserved = await limiter.reserve("ann", 5);
    await expect(reserved.keep("1m")).rejects.toMatchObject({ code: "ERR_STORE" });
    await reserved.settle(2);
    expect(await usedOf(limiter)).toEqual([2]);
    await hybrid.close();
    const here = await createLimiter({ limits: [REQUESTS], store: memoryStore() }).acquire("ann");
    await expect(here.keep("1m")).rejects.toMatchObject({ code: "ERR_STORE" });
  });

  it("is refused after a denial, and where the failure policy has decided", async () => {
    const { limiter, here } = processes([REQUESTS]);
    const denied = await limiter.reserve("ann", 101);
    await expect(denied.keep("10m")).rejects.toMatchObject({ code: "ERR_CLOSED" });
    here.bypass = true;
    const degraded = await limiter.reserve("ann", 1);
    await expect(degraded.keep("10m")).rejects.toMatchObject({ code: "ERR_STORE" });
    here.bypass = false;
    await degraded.settle(3);
    expect(await usedOf(limiter)).toEqual([0]);
  });

  it("leaves the reservation open if the store is unavailable, or the duration is wrong", async () => {
    const { limiter, here } = processes([REQUESTS]);
    const reserved = await limiter.reserve("ann", 9);
    for (const duration of [0, -1, "soon", Number.POSITIVE_INFINITY])
      await expect(reserved.keep(duration as never)).rejects.toMatchObject({ code: "ERR_DURATION" });
    here.bypass = true;
    await expect(reserved.keep("1m")).rejects.toMatchObject({ code: "ERR_STORE" });
    here.bypass = false;
    await reserved.settle(4);
    expect(await usedOf(limiter)).toEqual([4]);
  });
});

describe("a kept reservation of several keys", () => {
  interface Call {
    readonly user: string;
    readonly route: string;
  }

  const CALL = { user: "ann", route: "/chat" };

  it("is settled together", async () => {
    const prefix = freshPrefix();
    const store = inUse.redis.store({ prefix });
    const user = createLimiter({ name: "user", key: (call: Call) => call.user, limits: [REQUESTS, TOKENS], store });
    const route = createLimiter({ name: "route", key: (call: Call) => call.route, limits: [TOKENS], store });
    const both = combine(user, route);
    const id = await (await both.reserve(CALL, { requests: 2, tokens: 40 })).keep("10m");
    const there = inUse.redis.store({ prefix });
    expect(await there.reservation(id).charge({ tokens: 5 })).toBe(true);
    expect(await there.reservation(id).settle({ tokens: 12 })).toBe(true);
    expect(await usedOf(both, CALL)).toEqual([2, 12, 12]);
    const forgotten = await (await both.reserve(CALL, { requests: 3, tokens: 30 })).keep("10m");
    await both.reset(CALL);
    await both.reserve(CALL, { requests: 1, tokens: 9 });
    expect(await there.reservation(forgotten).cancel()).toBe(true);
    expect(await usedOf(both, CALL)).toEqual([1, 9, 9]);
  });

  it("with limits that a function has chosen is settled under these", async () => {
    const prefix = freshPrefix();
    const paid = [fixedWindow({ name: "plan", limit: 1_000, window: "1d" })];
    const store = inUse.redis.store({ prefix });
    const limiter = createLimiter({ name: "api", key: (user: string) => user, limits: () => paid, store });
    const id = await (await limiter.reserve("ann", 50)).keep("10m");
    const there = inUse.redis.store({ prefix });
    expect(await there.reservation(id).charge(3)).toBe(true);
    expect(await there.reservation(id).settle(20)).toBe(true);
    expect(await usedOf(limiter)).toEqual([20]);
  });

  it("of a limits file is settled by its id alone, under plans and with costs by rule", async () => {
    const prefix = freshPrefix();
    const plans = { from: "header.x-plan", is: { paid: { rate: "90/1d" } } } as const;
    const file = {
      version: 1,
      trustedHeaders: ["x-plan"],
      domains: {
        api: {
          limits: {
            user: { by: "header.x-user", plans, rate: "5/1d" },
            chat: { match: { path: "/chat" }, rate: { tokens: "500/1d" }, cost: { tokens: 40 } },
            all: { rate: { tokens: "800/1d" } },
          },
        },
      },
    } as const;
    const limits = createLimits(file, { store: inUse.redis.store({ prefix }) });
    const facts = { path: "/chat", header: { "x-user": "ann", "x-plan": "paid" } };
    const reserved = await limits.reserve("api", facts, { requests: 30, tokens: 60 });
    expect(reserved.decision.allowed).toBe(true);
    const there = inUse.redis.store({ prefix });
    expect(await there.reservation(await reserved.keep("10m")).settle({ requests: 9, tokens: 25 })).toBe(true);
    expect(await usedOf(limits.limiter("api"), facts)).toEqual([9, 25, 25]);
  });

  it("that no limit counts is kept, too", async () => {
    const { here, there } = processes();
    const limiter = createLimiter({ name: "free", key: () => "ann", limits: () => "unlimited" as const, store: here });
    const id = await (await limiter.reserve(undefined)).keep("10m");
    expect(await there.reservation(id).charge(7)).toBe(true);
    expect([await there.reservation(id).settle(9), await there.reservation(id).settle(9)]).toEqual([true, false]);
  });
});

it("a full server keeps what is reserved, and settles it when it has memory again", async () => {
  const { limiter, here, there } = processes();
  const id = await keep(limiter);
  const open = await limiter.reserve("ann", { requests: 0, tokens: 0 });
  const other = createLimiter({ name: "other", limits: [REQUESTS], store: here });
  await other.consume("exhausted", 100);
  await inUse.redis.command("CONFIG", "SET", "maxmemory", "1");
  try {
    await expect(there.reservation(id).settle({ tokens: 400 })).rejects.toMatchObject({ code: "ERR_STORE" });
    await expect(there.reservation(id).charge({ tokens: 1 })).rejects.toMatchObject({ code: "ERR_STORE" });
    // In one batch: what writes nothing is decided all the same.
    const [decision, kept] = await Promise.allSettled([other.consume("exhausted", 2), open.keep("1m")]);
    expect(kept).toMatchObject({ status: "rejected", reason: { code: "ERR_STORE" } });
    expect(decision).toMatchObject({ value: { allowed: false, reason: "exhausted" } });
    expect(decision).not.toHaveProperty("value.degraded");
  } finally {
    await inUse.redis.command("CONFIG", "SET", "maxmemory", "0");
  }
  await open.cancel();
  expect(await there.reservation(id).settle({ tokens: 400 })).toBe(true);
  expect(await usedOf(limiter)).toEqual([2, 400, 10, 5, 0]);
});

describe("a process that dies while it settles", () => {
  it.each([1, 2])("at its script call %i leaves what the next one settles exactly once", async (last) => {
    const { limiter, there, prefix } = processes();
    let calls = 0;
    /** The server carries out the last call, but the process gets no reply. */
    const dying = {
      sendCommand: async (command: string, ...args: string[]) => {
        calls += command === "EVALSHA" ? 1 : 0;
        if (calls > last) throw new Error("the process is dead");
        const reply = await inUse.redis.client.call(command, ...args);
        return calls === last && command === "EVALSHA" ? new Promise(() => {}) : reply;
      },
    };
    const id = await keep(limiter);
    // More of one unit and less of another.
    const actual = { requests: 1, tokens: 70 };
    const dead = openStore(dying, { prefix, timeout: 200, connectTimeout: 0 });
    await expect(dead.reservation(id).settle(actual)).rejects.toMatchObject({ code: "ERR_STORE" });
    expect(await there.reservation(id).settle(actual)).toBe(last < 2);
    expect(await usedOf(limiter)).toEqual([1, 70, 10, 5, 0]);
  });
});
