import { fixedWindow } from "../../algorithms/limits/fixed-window.ts";
import { perMinute, tokenBucket } from "../../algorithms/limits/token-bucket.ts";
import type { AsyncReservation, Reservation } from "../../limiter/reserving/reservation.ts";
import { type AnyLimiter, type ContractTests, combineAny, randomBelow, same } from "./contract-case.ts";

const TEN_A_MINUTE = [fixedWindow({ limit: 10, window: "1m", anchor: "first-use" })];
const MOST_OPEN = 5;

/** Reservations: a cost that is taken by an estimate, and settled when it is known. */
export const reserving: ContractTests = {
  "a reservation counts for its estimate, then for the actual cost": async (bench) => {
    const limiter = bench.limiter(TEN_A_MINUTE);
    const lower = await limiter.reserve("a", 6);
    same("reserved", [lower.decision.allowed, lower.decision.remaining], [true, 4]);
    await lower.settle(2);
    same("after less", await usedOf(limiter), [2]);
    const higher = await limiter.handle("a").reserve(3);
    await higher.settle(7);
    same("after more", await usedOf(limiter), [9]);
    const over = await limiter.reserve("a");
    await over.settle(8);
    same("in debt", await usedOf(limiter), [17]);
    const denied = await limiter.reserve("a");
    same("denied", [denied.decision.allowed, await usedOf(limiter)], [false, [17]]);
    await denied.cancel();
    same("a denied one that is cancelled", await usedOf(limiter), [17]);
  },
  "the first of settle and cancel counts": async (bench) => {
    const limiter = bench.limiter(TEN_A_MINUTE);
    const settled = await limiter.reserve("a", 5);
    await settled.settle(4);
    await settled.settle(1);
    await settled.cancel();
    same("settled", await usedOf(limiter), [4]);
    const cancelled = await limiter.reserve("a", 3);
    await cancelled.cancel();
    await cancelled.settle(2);
    same("cancelled", await usedOf(limiter), [4]);
    const disposed = await limiter.reserve("a", 3);
    if (Symbol.dispose in disposed) disposed[Symbol.dispose]();
    else await disposed[Symbol.asyncDispose]();
    same("disposed of", await usedOf(limiter), [4]);
  },
  "a reservation is settled for each unit apart": async (bench) => {
    const limits = [perMinute(10), tokenBucket({ capacity: 5_000, refill: 5_000, per: "1m", unit: "tokens" })];
    const limiter = bench.limiter(limits);
    const reservation = await limiter.reserve("a", { requests: 1, tokens: 2_000 });
    await reservation.charge({ tokens: 500 });
    same("while it goes on", await usedOf(limiter), [1, 2_500]);
    await reservation.settle({ tokens: 1_234 });
    same("settled", await usedOf(limiter), [1, 1_234]);
    const other = await limiter.reserve("a", { requests: 2, tokens: 100 });
    await other.settle({ requests: 1, tokens: 300 });
    same("one less, one more", await usedOf(limiter), [2, 1_534]);
  },
  "a ttl settles a forgotten reservation at its estimate": async (bench) => {
    const limiter = bench.limiter([fixedWindow({ limit: 10, window: "1h", anchor: "first-use" })]);
    const forgotten = await limiter.reserve("a", 4, { ttl: "1m" });
    const late = await limiter.reserve("a", 4, { ttl: "1m" });
    const open = await limiter.reserve("a", 1, { ttl: "2m" });
    bench.clock.advance(60_000);
    for (const reservation of [forgotten, open]) await reservation.cancel();
    same("cancelled too late, and in time", await usedOf(limiter), [8]);
    await late.settle(3);
    same("settled late", await usedOf(limiter), [7]);
  },
  "a reservation is settled under the limits that it was made under": async (bench) => {
    let limits = TEN_A_MINUTE;
    const limiter = bench.limiter(() => limits);
    const reservation = await limiter.reserve("a", 6);
    limits = [fixedWindow({ limit: 100, window: "1m", anchor: "first-use" })];
    await limiter.allow("a", 50);
    await reservation.settle(1);
    same("the limits of now", await usedOf(limiter), [50]);
    limits = TEN_A_MINUTE;
    same("those of then", await usedOf(limiter), [1]);
  },
  "a combination reserves in all limiters or in none": async (bench) => {
    const ten = bench.limiter(TEN_A_MINUTE, "ten");
    const five = bench.limiter([fixedWindow({ limit: 5, window: "1m", anchor: "first-use" })], "five");
    const both = combineAny(ten, five);
    const denied = await both.reserve("a", 6);
    same("denied", [denied.decision.allowed, await usedOf(ten), await usedOf(five)], [false, [0], [0]]);
    const reservation = await both.reserve("a", 4);
    await reservation.settle(1);
    same("settled", [await usedOf(ten), await usedOf(five)], [[1], [1]]);
  },
  "what random reservations take is what they settle": async (bench) => {
    const limiter = bench.limiter([fixedWindow({ limit: 60, window: "1h", anchor: "first-use" })]);
    const below = randomBelow(18);
    const open: Open[] = [];
    let settled = 0;
    for (let turn = 0; turn < 200; turn += 1) {
      const used = settled + open.reduce((sum, { units }) => sum + units, 0);
      same(`turn ${turn}: used`, await usedOf(limiter), [used]);
      const place = below(2 * MOST_OPEN);
      const one = open[place];
      if (one !== undefined) {
        const actual = await advance(one, below);
        if (actual === undefined) continue;
        open.splice(place, 1);
        settled += actual;
      } else if (open.length < MOST_OPEN) {
        const units = below(8);
        const reservation = await limiter.reserve("a", units);
        same(`turn ${turn}: allowed`, reservation.decision.allowed, used + units <= 60);
        if (reservation.decision.allowed) open.push({ reservation, units });
      }
    }
  },
};

/** A reservation that is open, and what it counts for. */
interface Open {
  readonly reservation: Reservation | AsyncReservation;
  units: number;
}

/** Charges, settles or cancels. Returns the units that a reservation that ends counts for. */
async function advance(one: Open, below: (bound: number) => number): Promise<number | undefined> {
  const choice = below(3);
  if (choice === 0) {
    await one.reservation.charge(1);
    one.units += 1;
    return undefined;
  }
  const actual = choice === 1 ? below(6) : 0;
  if (choice === 1) await one.reservation.settle(actual);
  else await one.reservation.cancel();
  return actual;
}

async function usedOf(limiter: AnyLimiter): Promise<number[]> {
  return (await limiter.explain("a")).map(({ used }) => used);
}
