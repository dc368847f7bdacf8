import {
  type ChosenLimits,
  combine,
  concurrency,
  createLimiter,
  fixedWindow,
  type Limit,
  perDay,
  perMinute,
  slidingWindow,
  tokenBucket,
} from "tollgate";
import { type ManualClock, manualClock } from "tollgate/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { START_MS } from "../../start-ms.ts";
import { randomBelow } from "../../stores/local/random-words.ts";
import type { AnyLimiter, AnyStore } from "../every-store.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The limit that two routes count, with numbers of their own. */
const NUMBERS: readonly [string, few: Limit, many: Limit][] = [
  ["a token bucket", ...bothOf((limit) => tokenBucket({ name: "calls", capacity: limit, refill: limit, per: "1h" }))],
  ["a fixed window", ...bothOf((limit) => fixedWindow({ name: "calls", limit, window: "1h" }))],
  ["a sliding window", ...bothOf((limit) => slidingWindow({ name: "calls", limit, window: "1h" }))],
];

/** Windows that admit five calls. */
const WINDOWS: readonly [string, Limit][] = [
  ["a fixed window", fixedWindow({ limit: 5, window: "1m" })],
  ["a fixed window from the first use", fixedWindow({ limit: 5, window: "1m", anchor: "first-use" })],
  ["a sliding window", slidingWindow({ limit: 5, window: "1m" })],
  ["an exact log", slidingWindow({ limit: 5, window: "1m", resolution: 0 })],
];

/** Attacks by corrections that come late, come twice, or name what they did not take. */
export function correctionAttacks(createStore: () => AnyStore): void {
  let clock: ManualClock;
  let store: AnyStore;

  beforeEach(() => {
    clock = manualClock(START_MS);
    store = createStore();
  });

  /** One key, whose limits depend on the route. */
  const limiterBy = (limits: (route: string) => ChosenLimits): AnyLimiter =>
    createLimiter({ name: "api", key: () => "ann", limits, clock, store });
  const limiterOf = (...limits: readonly Limit[]): AnyLimiter => createLimiter({ name: "api", limits, clock, store });

  describe("settling a place whose limits have changed", () => {
    const places = concurrency({ max: 5_000, ttl: "1d" });

    it.each(NUMBERS)("changes no unit of %s", async (_kind, few, many) => {
      const limiter = limiterBy((route) => [places, route === "few" ? few : many]);
      for (const [first, second] of [
        ["few", "many"],
        ["many", "few"],
      ] as const) {
        for (const elapsedMs of [20 * MINUTE_MS, 2 * HOUR_MS]) {
          const early = await limiter.reserve(first);
          clock.advance(elapsedMs);
          for (let call = 0; call < 10; call += 1) await limiter.reserve(second);
          const before = [await usedOf(limiter, "few", "calls"), await usedOf(limiter, "many", "calls")];
          await early.settle();
          expect([await usedOf(limiter, "few", "calls"), await usedOf(limiter, "many", "calls")]).toEqual(before);
          expect(before).not.toContain(0);
        }
      }
    });

    it("gains a client nothing that alternates between routes", async () => {
      const perMinuteOf = (limit: number) => tokenBucket({ name: "calls", capacity: limit, refill: limit, per: "1m" });
      const [few, many] = [perMinuteOf(10), perMinuteOf(20)];
      const limiter = limiterBy((route) => [places, route === "few" ? few : many]);
      let admitted = 0;
      const call = async (route: string) => {
        const reservation = await limiter.reserve(route);
        if (reservation.decision.allowed) admitted += 1;
        return reservation;
      };
      for (let minute = 0; minute < 10; minute += 1) {
        const open: Awaited<ReturnType<typeof call>>[] = [];
        for (let i = 0; i < 10; i += 1) open.push(await call("many"));
        clock.advance(MINUTE_MS);
        for (const early of open.filter(({ decision }) => decision.allowed)) {
          while ((await call("few")).decision.allowed);
          await early.settle();
        }
      }
      // All of the larger bucket, and what refills in ten minutes.
      expect(admitted).toBeLessThanOrEqual(20 + 10 * 20);
    });
  });

  describe("a correction goes by the limits of its call, wherever the key is counted by now", () => {
    it.each([
      ["shorter", "5m", "30s"],
      ["longer", "30s", "5m"],
    ])("a renewal lasts by its own ttl after a call under a %s one", async (_kind, own, other) => {
      const limiter = limiterBy((route) => [concurrency({ name: "streams", max: 3, ttl: route as "5m" | "30s" })]);
      const open = [await limiter.reserve(own), await limiter.reserve(own), await limiter.reserve(own)];
      const ttlMs = own === "5m" ? 5 * MINUTE_MS : 30_000;
      for (let renewal = 0; renewal < 3; renewal += 1) {
        expect((await limiter.reserve(other)).decision.allowed).toBe(false);
        clock.advance(ttlMs - 1);
        for (const place of open) expect(await place.renew()).toBe(true);
      }
      clock.advance(ttlMs - 1);
      expect([await usedOf(limiter, own), await usedOf(limiter, other)]).toEqual([3, 3]);
      clock.advance(1);
      expect([await usedOf(limiter, own), await usedOf(limiter, other)]).toEqual([0, 0]);
    });

    it.each(NUMBERS)("a refund moves no key to other numbers of %s", async (_kind, few, many) => {
      const limiter = limiterBy((route) => [route === "few" ? few : many]);
      let changes = 0;
      limiter.observe(() => (changes += 1), { types: ["change"] });
      const early = await limiter.reserve("few", 4);
      expect(await limiter.allow("many")).toBe(true);
      await early.settle(2);
      expect(await limiter.allow("many")).toBe(true);
      expect(await usedOf(limiter, "many")).toBe(4);
      expect(changes).toBe(1);
    });
  });

  describe("places of routes whose limits of one name differ", () => {
    it("are renewed and freed after a call under a smaller max", async () => {
      const limiter = limiterBy((route) => [concurrency({ name: "streams", max: Number(route), ttl: "1m" })]);
      const open: Awaited<ReturnType<typeof limiter.reserve>>[] = [];
      for (let place = 0; place < 10; place += 1) {
        open.push(await limiter.reserve("10"));
        clock.advance(10);
      }
      for (let renewal = 0; renewal < 2; renewal += 1) {
        expect((await limiter.reserve("2")).decision.allowed).toBe(false);
        clock.advance(50_000);
        for (const place of open) expect(await place.renew()).toBe(true);
        expect((await limiter.reserve("10")).decision.allowed).toBe(false);
      }
      for (const place of open) await place.settle();
      expect([await usedOf(limiter, "10"), await usedOf(limiter, "2")]).toEqual([0, 0]);
    });

    it.each([1, 2, 3])("are as many as are held, whichever routes call in turn (%i)", async (seed) => {
      const below = randomBelow(seed);
      const limits = [2, 10, 64, 200].map((max, i) =>
        concurrency({ name: "streams", max, ttl: i % 2 === 0 ? "1m" : "20s" }),
      );
      const limiter = limiterBy((route) => [limits[Number(route)]!]);
      type Held = {
        reservation: Awaited<ReturnType<typeof limiter.reserve>>;
        route: number;
        cost: number;
        untilMs: number;
      };
      let open: Held[] = [];
      const untilMs = (route: number) => clock.now() + limits[route]!.ttlMs;
      for (let step = 0; step < 150; step += 1) {
        const route = below(limits.length);
        const cost = 1 + below(2);
        const reservation = await limiter.reserve(String(route), cost);
        const { allowed } = reservation.decision;
        if (allowed) open.push({ reservation, route, cost, untilMs: untilMs(route) });
        clock.advance(below(2_000));
        for (const one of open) {
          if (one.untilMs - clock.now() > 2_000 && below(20) > 0) continue;
          expect(await one.reservation.renew()).toBe(true);
          one.untilMs = untilMs(one.route);
        }
        const kept = open.filter(() => below(30) > 0);
        for (const one of open) if (!kept.includes(one)) await one.reservation.settle();
        open = kept;
        expect(await usedOf(limiter, String(route)), `step ${step}`).toBe(open.reduce((sum, one) => sum + one.cost, 0));
      }
      for (const { reservation } of open) await reservation.settle();
      expect(await usedOf(limiter, "0")).toBe(0);
    });
  });

  it.each(WINDOWS)("units of %s that is over are not given back to the next one", async (_kind, limit) => {
    const limiter = limiterOf(limit);
    const [settled, cancelled] = [await limiter.reserve("ann", 2), await limiter.reserve("ann", 2)];
    const decision = await limiter.consume("ann", 1);
    clock.advance(MINUTE_MS);
    expect(await limiter.allow("ann", 5)).toBe(true);
    await settled.settle(0);
    await cancelled.cancel();
    await limiter.refund("ann", 1, decision);
    expect([await usedOf(limiter, "ann"), await limiter.allow("ann")]).toEqual([5, false]);
  });

  describe("a refund by a decision gives back", () => {
    it("nothing of a denial or a peek", async () => {
      const wide = fixedWindow({ name: "wide", limit: 20, window: "1d" });
      const limiter = limiterOf(fixedWindow({ limit: 10, window: "1d" }), wide);
      let admitted = 0;
      for (let call = 0; call < 300; call += 1) {
        const decision = await limiter.consume("ann");
        if (decision.allowed) admitted += 1;
        else await limiter.refund("ann", 1, decision);
        await limiter.refund("ann", 1, await limiter.peek("ann"));
      }
      expect(admitted).toBe(10);
      // The wide one conformed to each call that was denied.
      expect((await limiter.explain("ann")).map(({ used }) => used)).toEqual([10, 10]);
    });

    it("nothing under limits that did not count the call", async () => {
      const [a, b] = [perDay(10, { name: "a" }), perDay(10, { name: "b" })];
      const limiter = limiterBy((route) => (route === "free" ? "unlimited" : [route === "a" ? a : b]));
      await limiter.allow("a", 5);
      await limiter.allow("b", 5);
      const [free, ofA] = [await limiter.consume("free"), await limiter.consume("a")];
      await limiter.refund("b", 1, free);
      await limiter.refund("b", 1, ofA);
      expect([await usedOf(limiter, "a"), await usedOf(limiter, "b")]).toEqual([5, 5]);
    });

    it("nothing of a copy, or of an object made from the decision, which are refused", async () => {
      const limiter = limiterOf(perDay(10));
      const decision = await limiter.consume("ann", 2);
      for (const copy of [{ ...decision }, Object.create(decision)])
        await expect(async () => limiter.refund("ann", 2, copy)).rejects.toMatchObject({ code: "ERR_OPTION" });
      expect(await usedOf(limiter, "ann")).toBe(2);
    });

    it("what it took, once", async () => {
      const limiter = limiterOf(perDay(10));
      await limiter.allow("ann", 5);
      const decision = await limiter.consume("ann", 2);
      for (const cost of [1, 5, 1, 2]) await limiter.refund("ann", cost, decision);
      expect(await usedOf(limiter, "ann")).toBe(5);
    });
  });

  it.each(["cancel", "settle"] as const)("%s gives back what 200 charges of a reservation took", async (verb) => {
    const limiter = limiterOf(fixedWindow({ limit: 1_000, window: "1d" }));
    await limiter.allow("ann", 3);
    const reservation = await limiter.reserve("ann");
    for (let part = 0; part < 200; part += 1) await reservation.charge(1);
    expect(await usedOf(limiter, "ann")).toBe(204);
    returnLeases(store);
    await (verb === "cancel" ? reservation.cancel() : reservation.settle(1));
    expect(await usedOf(limiter, "ann")).toBe(verb === "cancel" ? 3 : 4);
  });

  it("cancel gives back what was charged to a call that a key without limits has blocked", async () => {
    const guests = createLimiter({ name: "guests", limits: () => "unlimited", clock, store });
    const limiter = limiterOf(perDay(10));
    const reservation = await combine(guests, limiter).reserve("ann");
    await guests.block("ann", "1h");
    const blocked = await combine(guests, limiter).reserve("ann");
    await reservation.charge(3);
    await blocked.charge(5);
    expect(await usedOf(limiter, "ann")).toBe(9);
    for (const one of [reservation, blocked]) await one.cancel();
    expect(await usedOf(limiter, "ann")).toBe(0);
  });

  it("settling after a refund by the reservation's decision counts what is left", async () => {
    const limiter = limiterOf(perDay(20));
    const reservation = await limiter.reserve("ann", 4);
    await limiter.refund("ann", 3, reservation.decision);
    await reservation.settle(6);
    expect(await usedOf(limiter, "ann")).toBe(6);
  });

  it.each(["cancel", "settle"] as const)("%s leaves a shadow limit that took nothing", async (verb) => {
    const limiter = limiterOf(perDay(9), perDay(1, { name: "shadow", mode: "shadow" }));
    await limiter.allow("ann");
    const reservation = await limiter.reserve("ann");
    await (verb === "cancel" ? reservation.cancel() : reservation.settle(0));
    expect((await limiter.explain("ann")).map(({ used }) => used)).toEqual([1, 1]);
  });

  it("renewing a place that has freed itself blocks no key", async () => {
    const limiter = limiterOf(concurrency({ max: 5, ttl: "1m", blockFor: "10m" }));
    const early = await limiter.reserve("ann");
    clock.advance(2 * MINUTE_MS);
    expect(await early.renew()).toBe(false);
    expect((await limiter.reserve("ann")).decision.allowed).toBe(true);
  });

  it("renew begins every place of a call with thousands anew", async () => {
    const limiter = limiterOf(concurrency({ max: 10_000, ttl: "1m" }));
    const places = await limiter.reserve("ann", { "concurrent-requests": 6_000 });
    clock.advance(MINUTE_MS - 1);
    expect(await places.renew()).toBe(true);
    clock.advance(MINUTE_MS - 1);
    expect(await usedOf(limiter, "ann")).toBe(6_000);
    await places.cancel();
    expect(await usedOf(limiter, "ann")).toBe(0);
  });

  describe("a call that was forgotten", () => {
    it.each(["reset", "clear"] as const)("by %s frees no place, and gives back no unit, of another", async (verb) => {
      const limiter = limiterOf(concurrency({ max: 1, ttl: "1h" }), perMinute(60, { unit: "tokens" }));
      const cost = { tokens: 7 };
      for (const end of ["settle", "cancel", "renew"] as const) {
        const forgotten = await limiter.reserve("ann", cost);
        await (verb === "reset" ? limiter.reset("ann") : limiter.clear());
        clock.advance(1);
        const other = await limiter.reserve("ann", cost);
        expect(other.decision.allowed).toBe(true);
        if (end === "renew") expect(await forgotten.renew()).toBe(false);
        else await (end === "settle" ? forgotten.settle({ tokens: 0 }) : forgotten.cancel());
        expect((await limiter.explain("ann")).map(({ used }) => used)).toEqual([1, 7]);
        await other.cancel();
        await limiter.reset("ann");
      }
    });

    it.each(["reset", "clear"] as const)("by %s gives back no unit of another under several limits", async (verb) => {
      const limits = [perDay(10, { name: "day" }), perMinute(20, { name: "minute" })];
      const limiter = limiterBy(() => limits);
      const [forgotten, decision] = [await limiter.reserve("any", 4), await limiter.consume("any", 3)];
      await (verb === "reset" ? limiter.reset("any") : limiter.clear());
      clock.advance(1);
      await limiter.consume("any", 9);
      await forgotten.cancel();
      await limiter.refund("any", 3, decision);
      expect((await limiter.explain("any")).map(({ used }) => used)).toEqual([9, 9]);
    });
  });

  describe("places that are open while others are reset are renewed and freed", () => {
    const streams = concurrency({ name: "streams", max: 3, ttl: "1m" });
    const openAll = async (limiter: AnyLimiter) => [
      await limiter.reserve("ann"),
      await limiter.reserve("ann"),
      await limiter.reserve("ann"),
    ];
    const endAll = async (limiter: AnyLimiter, open: Awaited<ReturnType<typeof openAll>>) => {
      for (const place of open) expect(await place.renew()).toBe(true);
      for (const place of open) await place.settle();
      expect(await usedOf(limiter, "ann", "streams")).toBe(0);
    };

    it("another key, more than a thousand times", async () => {
      const [limiter, logins] = [limiterOf(streams), limiterOf(perMinute(10, { name: "logins" }))];
      const open = await openAll(limiter);
      for (let login = 0; login < 1_100; login += 1) {
        await logins.allow("eve");
        await logins.reset("eve");
      }
      await endAll(limiter, open);
    });

    it("another key, under hundreds of lists", async () => {
      const limiter = limiterOf(streams);
      const plans = Array.from({ length: 400 }, (_, i) => [perMinute(10 + i, { name: `plan ${i}` })]);
      const chosen = createLimiter({
        name: "plans",
        key: String,
        limits: (plan: number) => plans[plan]!,
        clock,
        store,
      });
      for (let plan = 0; plan < plans.length; plan += 1) await chosen.allow(plan);
      const open = await openAll(limiter);
      for (let plan = 0; plan < 5; plan += 1) await chosen.reset(plan);
      await endAll(limiter, open);
    });

    it.each(["reset", "clear"] as const)("another limit of the same key, by %s", async (verb) => {
      const day = perDay(100, { name: "day" });
      const [limiter, other] = [limiterOf(day, streams), limiterOf(day)];
      const open = await openAll(limiter);
      await (verb === "reset" ? other.reset("ann") : other.clear());
      expect(await usedOf(limiter, "ann", "day")).toBe(0);
      await limiter.reserve("bob");
      await endAll(limiter, open);
      expect(await usedOf(limiter, "ann", "day")).toBe(0);
    });
  });

  it.each(["reset", "clear"] as const)("%s forgets no limits of another limiter of the same name", async (verb) => {
    const limiter = limiterOf(perDay(5, { name: "calls" }));
    const other = limiterOf(perDay(7, { name: "calls" }), perDay(9, { name: "logins" }));
    await other.allow("ann", 2);
    await (verb === "reset" ? limiter.reset("ann") : limiter.clear());
    expect([await usedOf(limiter, "ann"), await usedOf(other, "ann", "logins")]).toEqual([0, 2]);
  });

  it("reset by a limiter that has chosen limits for other keys only is refused, too", async () => {
    const key = (user: string) => user.replace("bob on pro", "bob");
    const limits = (user: string) => [user === "bob" ? perDay(5, { name: "free" }) : perDay(7, { name: "pro" })];
    const create = () => createLimiter({ name: "api", key, limits, clock, store });
    const [limiter, other] = [create(), create()];
    await limiter.allow("ann", 7);
    await other.allow("bob");
    const known = other.byKey("ann");
    await expect(async () => known.reset()).rejects.toMatchObject({ code: "ERR_LIMITS" });
    expect(await usedOf(limiter, "ann")).toBe(7);
    await other.allow("bob on pro");
    await known.reset();
    expect(await usedOf(limiter, "ann")).toBe(0);
  });

  it("reset by a limiter that has chosen no limits yet is refused, because another may have counted the key", async () => {
    const limits = [perDay(5)];
    const [limiter, other] = [limiterBy(() => limits), limiterBy(() => limits)];
    await limiter.allow("any", 3);
    await expect(async () => other.byKey("ann").reset()).rejects.toMatchObject({ code: "ERR_LIMITS" });
    await other.byKey("ann", limits).reset();
    expect(await usedOf(limiter, "any")).toBe(0);
  });
}

/** How many units of a limit are used, by default of the first. */
/** A server counts at least what nodes may still spend as far as it knows: what is given back below that is lost. */
function returnLeases(store: AnyStore): void {
  if (!("bypass" in store)) return;
  store.bypass = true;
  store.bypass = false;
}

async function usedOf(limiter: AnyLimiter, input: string, name?: string): Promise<number | undefined> {
  const all = await limiter.explain(input);
  return (name === undefined ? all[0] : all.find((one) => one.name === name))?.used;
}

function bothOf(make: (limit: number) => Limit): [few: Limit, many: Limit] {
  return [make(10), make(100)];
}
