import { concurrency } from "../../algorithms/limits/concurrency.ts";
import { fixedWindow } from "../../algorithms/limits/fixed-window.ts";
import { perMinute } from "../../algorithms/limits/token-bucket.ts";
import type { AsyncReservation, Reservation } from "../../limiter/reserving/reservation.ts";
import { type AnyLimiter, type ContractTests, combineAny, randomBelow, same } from "./contract-case.ts";

const TTL_MS = 60_000;
const THREE = [concurrency({ max: 3, ttl: TTL_MS })];

/** Places: how many reservations are open at a time. */
export const places: ContractTests = {
  "a place is taken by reserve, and freed by settle, cancel or its ttl": async (bench) => {
    const limiter = bench.limiter(THREE);
    const [settled, cancelled, left] = [await reserve(limiter), await reserve(limiter), await reserve(limiter)];
    const denied = await limiter.reserve("a");
    same("denied", [denied.decision.allowed, denied.decision.retryAfterMs], [false, TTL_MS]);
    bench.clock.advance(1_000);
    await settled.settle(1);
    await cancelled.cancel();
    same("after two ended", await usedOf(limiter), [1]);
    for (const over of [settled, cancelled]) await over.cancel();
    same("ended twice", await usedOf(limiter), [1]);
    bench.clock.advance(TTL_MS - 1_000);
    same("expired", await usedOf(limiter), [0]);
    await reserve(limiter);
    await left.settle(1);
    same("settled after it expired", await usedOf(limiter), [1]);
  },
  "renew keeps a place, and tells if it is lost": async (bench) => {
    const limiter = bench.limiter(THREE);
    const [kept, lost] = [await reserve(limiter), await reserve(limiter)];
    bench.clock.advance(TTL_MS / 2);
    same("renewed", await kept.renew(), true);
    bench.clock.advance(TTL_MS / 2);
    same("one expired", await usedOf(limiter), [1]);
    same("lost", [await lost.renew(), await lost.renew()], [false, false]);
    bench.clock.advance(TTL_MS / 2 - 1);
    same("still there", await usedOf(limiter), [1]);
    await kept.cancel();
    same("freed", [await usedOf(limiter), await kept.renew()], [[0], false]);
  },
  "a cost names how many places": async (bench) => {
    const limiter = bench.limiter(THREE);
    const two = await limiter.reserve("a", 2);
    same("two", [two.decision.remaining, await usedOf(limiter)], [1, [2]]);
    const more = await limiter.reserve("a", { "concurrent-requests": 2 });
    same("too many", [more.decision.allowed, await usedOf(limiter)], [false, [2]]);
    bench.clock.advance(1_000);
    same("renewed", await two.renew(), true);
    bench.clock.advance(TTL_MS - 1_000);
    same("both are kept", await usedOf(limiter), [2]);
    await two.settle(1);
    same("both are freed", await usedOf(limiter), [0]);
    const never = await limiter.reserve("a", 4);
    same("never", [never.decision.allowed, never.decision.retryAfterMs], [false, Number.POSITIVE_INFINITY]);
  },
  "places and units are taken together or not at all": async (bench) => {
    const limits = [...THREE, fixedWindow({ limit: 10, window: "1h", unit: "tokens", anchor: "first-use" })];
    const limiter = bench.limiter(limits);
    const one = await limiter.reserve("a", 4);
    same("one", await usedOf(limiter), [1, 4]);
    same("too many tokens", (await limiter.reserve("a", 7)).decision.allowed, false);
    const [two] = [await limiter.reserve("a", { tokens: 0 }), await limiter.reserve("a", 0)];
    same("no place", (await limiter.reserve("a", 1)).decision.allowed, false);
    same("nothing of a denial", await usedOf(limiter), [3, 4]);
    await one.charge(2);
    await one.settle(5);
    await two.cancel();
    same("settled", await usedOf(limiter), [1, 5]);
    const none = await limiter.reserve("a", { tokens: 1, "concurrent-requests": 0 });
    same("without a place", [none.decision.allowed, await usedOf(limiter)], [true, [1, 6]]);
  },
  "a combination holds places in all limiters or in none": async (bench) => {
    const three = bench.limiter(THREE, "three");
    const one = bench.limiter([concurrency({ max: 1, ttl: 2 * TTL_MS })], "one");
    const both = combineAny(three, one);
    const held = await both.reserve("a");
    const denied = await both.reserve("a");
    same("denied", [denied.decision.allowed, await usedOf(three), await usedOf(one)], [false, [1], [1]]);
    bench.clock.advance(TTL_MS);
    same("one has expired", [await usedOf(three), await usedOf(one)], [[0], [1]]);
    same("renewed in part", await held.renew(), false);
    await held.cancel();
    same("freed", [await usedOf(three), await usedOf(one)], [[0], [0]]);
  },
  "places of a shadow limit are held only where it would have admitted": async (bench) => {
    const limiter = bench.limiter([concurrency({ max: 1, ttl: TTL_MS, mode: "shadow" }), perMinute(10)]);
    const [first, second] = [await reserve(limiter), await reserve(limiter)];
    same("one of two", await usedOf(limiter), [1, 2]);
    await second.cancel();
    same("the second had none", (await usedOf(limiter))[0], 1);
    await first.cancel();
    same("freed", (await usedOf(limiter))[0], 0);
  },
  "when limits change, places stay": async (bench) => {
    let limits = [concurrency({ name: "streams", max: 3, ttl: TTL_MS })];
    const limiter = bench.limiter(() => limits, "contract", "carry-over");
    const [first, second] = [await reserve(limiter), await reserve(limiter)];
    limits = [concurrency({ name: "streams", max: 1, ttl: 2 * TTL_MS })];
    same("fewer", (await limiter.reserve("a")).decision.allowed, false);
    same("both count", await usedOf(limiter), [2]);
    await first.cancel();
    limits = [concurrency({ name: "streams", max: 2, ttl: TTL_MS })];
    same("one counts", await usedOf(limiter), [1]);
    await reserve(limiter);
    await second.settle(1);
    same("freed by its holder", await usedOf(limiter), [1]);
  },
  "a verb without reservation is refused where places are counted": async (bench) => {
    const limiter = bench.limiter([...THREE, perMinute(10)]);
    const calls = [
      () => limiter.allow("a"),
      () => limiter.consume("a"),
      () => limiter.wait("a"),
      () => limiter.handle("a").allow(),
      () => limiter.handle("a").consume(),
      () => limiter.allowMany(["a"], new Uint8Array(1)),
    ];
    for (const [i, call] of calls.entries()) same(`call ${i}`, await codeOf(call), "ERR_LIMITS");
    same("charge", await codeOf(() => limiter.charge("a", { "concurrent-requests": 1 })), "ERR_COST");
    same("refund", await codeOf(() => limiter.refund("a", { "concurrent-requests": 1 })), "ERR_COST");
    await limiter.charge("a", 3);
    await limiter.refund("a", 1);
    same("places stay", await usedOf(limiter), [0, 2]);
    same("peek tells of a reservation", (await limiter.peek("a")).limitRemaining, 2);
  },
  "random holders never have more places than there are": async (bench) => {
    const below = randomBelow(31);
    const limiter = bench.limiter([concurrency({ max: 5, ttl: TTL_MS })]);
    let held: Held[] = [];
    for (let turn = 0; turn < 200; turn += 1) {
      const nowMs = bench.clock.now();
      held = held.filter(({ untilMs }) => untilMs > nowMs);
      same(`turn ${turn}`, await usedOf(limiter), [held.reduce((sum, { count }) => sum + count, 0)]);
      await act(limiter, held, below, nowMs);
      if (below(3) === 0) bench.clock.advance(below(TTL_MS / 2));
    }
  },
};

/** A reservation and what it holds, by the books of the test. */
interface Held {
  readonly reservation: Reservation | AsyncReservation;
  readonly count: number;
  untilMs: number;
}

async function act(limiter: AnyLimiter, held: Held[], below: (bound: number) => number, nowMs: number): Promise<void> {
  const place = below(8);
  const one = held[place];
  if (one === undefined) {
    const count = 1 + below(2);
    const reservation = await limiter.reserve("a", count);
    const before = held.reduce((sum, each) => sum + each.count, 0);
    same("allowed", reservation.decision.allowed, before + count <= 5);
    if (reservation.decision.allowed) held.push({ reservation, count, untilMs: nowMs + TTL_MS });
  } else if (below(2) === 0) {
    same("renewed", await one.reservation.renew(), true);
    one.untilMs = nowMs + TTL_MS;
  } else {
    await one.reservation.cancel();
    held.splice(place, 1);
  }
}

async function reserve(limiter: AnyLimiter): Promise<Reservation | AsyncReservation> {
  const reservation = await limiter.reserve("a");
  same("allowed", reservation.decision.allowed, true);
  return reservation;
}

async function usedOf(limiter: AnyLimiter): Promise<number[]> {
  return (await limiter.explain("a")).map(({ used }) => used);
}

async function codeOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
    return "no error";
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}
