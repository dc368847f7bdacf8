import { fixedWindow } from "../../algorithms/limits/fixed-window.ts";
import { perMinute, tokenBucket } from "../../algorithms/limits/token-bucket.ts";
import type { AsyncReservation, Reservation } from "../../limiter/reserving/reservation.ts";
import { type ContractTests, randomBelow, same } from "./contract-case.ts";
import { combined, scenario, scenarioOf, usedOf } from "./scenario.ts";

const TEN_A_MINUTE = [fixedWindow({ limit: 10, window: "1m", anchor: "first-use" })];
const MOST_OPEN = 5;

/** Reservations: a cost that is taken by an estimate, and corrected when it is known. */
export const reserving: ContractTests = {
  "a reservation counts for its estimate, then for the actual cost": scenario(
    TEN_A_MINUTE,
    [0, "reserve 6 allowed=yes remaining=4, settle 0 2, used 2"],
    [0, "reserve 3 yes, settle 1 7, used 9, reserve 1 yes, settle 2 8, used 17"],
    [0, "reserve 1 no, cancel 3, used 17"],
  ),
  "the first of settle and cancel counts": scenario(
    TEN_A_MINUTE,
    [0, "reserve 5 yes, settle 0 4, settle 0 1, cancel 0, used 4"],
    [0, "reserve 3 yes, cancel 1, settle 1 2, used 4"],
  ),
  "a reservation is settled for each unit apart": scenario(
    [perMinute(10), tokenBucket({ capacity: 5_000, refill: 5_000, per: "1m", unit: "tokens" })],
    [0, "reserve requests:1+tokens:2000 yes, add 0 tokens:500, used 1 2500, settle 0 tokens:1234, used 1 1234"],
    [0, "reserve requests:2+tokens:100 yes, settle 1 requests:1+tokens:300, used 2 1534"],
  ),
  "a ttl settles a forgotten reservation at its estimate": scenario(
    [fixedWindow({ limit: 10, window: "1h", anchor: "first-use" })],
    [0, "reserve 4/1m yes, reserve 4/1m yes, reserve 1/2m yes"],
    [60_000, "cancel 0, cancel 2, used 8, settle 1 3, used 7"],
  ),
  "a correction does nothing when the units count no more": scenario(
    TEN_A_MINUTE,
    [0, "reserve 4 yes"],
    [60_000, "allow 3 yes, cancel 0, used 3"],
  ),
  "a reservation is settled under the limits that it was made under": async (bench) => {
    let limits = TEN_A_MINUTE;
    const choose = (limit: number) => (): void => {
      limits = [fixedWindow({ limit, window: "1m", anchor: "first-use" })];
    };
    await scenario(
      () => limits,
      [0, "reserve 6 yes", choose(100), "allow 50 yes, settle 0 1, used 50", choose(10), "used 1"],
    )(bench);
  },
  "a combination reserves in all limiters or in none": scenarioOf(
    combined(TEN_A_MINUTE, [fixedWindow({ limit: 5, window: "1m", anchor: "first-use" })]),
    [0, "reserve 6 no, by 1, used 0, by 2, used 0"],
    [0, "by 0, reserve 4 yes, settle 1 1, by 1, used 1, by 2, used 1"],
  ),
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
  await (actual === 0 ? one.reservation.cancel() : one.reservation.settle(actual));
  return actual;
}
