import { concurrency } from "../../algorithms/limits/concurrency.ts";
import { fixedWindow } from "../../algorithms/limits/fixed-window.ts";
import { type ContractTests, randomBelow, same } from "./contract-case.ts";
import { combined, scenario, scenarioOf, usedOf } from "./scenario.ts";

const TTL_MS = 60_000;
const THREE = [concurrency({ max: 3, ttl: TTL_MS })];

/** Places: how many reservations are open at a time. */
export const places: ContractTests = {
  "a place is taken by reserve, and freed by settle, cancel or its ttl": scenario(
    THREE,
    [0, "reserve 1 yes, reserve 1 yes, reserve 1 yes, reserve 1 allowed=no retryAfterMs=60000"],
    [1_000, "settle 0 1, cancel 1, used 1, cancel 0, cancel 1, used 1"],
    [TTL_MS - 1_000, "used 0, reserve 1 yes, settle 2 1, used 1"],
  ),
  "renew keeps a place, and tells if it is lost": scenario(
    THREE,
    [0, "reserve 1 yes, reserve 1 yes"],
    [TTL_MS / 2, "renew 0 yes"],
    [TTL_MS / 2, "used 1, renew 1 no, renew 1 no"],
    [TTL_MS / 2 - 1, "used 1, cancel 0, used 0, renew 0 no"],
  ),
  "a cost names how many places": scenario(
    THREE,
    [0, "reserve 2 allowed=yes remaining=1, used 2, reserve concurrent-requests:2 no"],
    [1_000, "renew 0 yes"],
    [TTL_MS - 1_000, "used 2, settle 0 1, used 0, reserve 4 allowed=no retryAfterMs=Infinity"],
  ),
  "places and units are taken together or not at all": scenario(
    [...THREE, fixedWindow({ limit: 10, window: "1h", unit: "tokens", anchor: "first-use" })],
    [0, "reserve 4 yes, used 1 4, reserve 7 no, reserve tokens:0 yes, reserve 0 yes, reserve 1 no, used 3 4"],
    [0, "add 0 2, settle 0 5, cancel 2, used 1 5, reserve tokens:1+concurrent-requests:0 yes, used 1 6"],
  ),
  "a combination holds places in all limiters or in none": scenarioOf(
    combined(THREE, [concurrency({ max: 1, ttl: 2 * TTL_MS })]),
    [0, "reserve 1 yes, reserve 1 no, by 1, used 1, by 2, used 1"],
    [TTL_MS, "used 1, by 1, used 0, renew 0 no, cancel 0, used 0, by 2, used 0"],
  ),
  "places of a shadow limit are held only where it would have admitted": scenario(
    [concurrency({ max: 1, ttl: TTL_MS, mode: "shadow" }), fixedWindow({ limit: 10, window: "1h" })],
    [0, "reserve 1 yes, reserve 1 yes, used 1 2, cancel 1, used 1 1, cancel 0, used 0 0"],
  ),
  "when limits change, places stay": async (bench) => {
    let limits = [concurrency({ name: "streams", max: 3, ttl: TTL_MS })];
    const choose = (max: number, ttl: number) => (): void => {
      limits = [concurrency({ name: "streams", max, ttl })];
    };
    await scenario(
      () => limits,
      [0, "reserve 1 yes, reserve 1 yes", choose(1, 2 * TTL_MS), "reserve 1 no, used 2, cancel 0"],
      [0, choose(2, TTL_MS), "used 1, reserve 1 yes, settle 1 1, used 1"],
    )(bench);
  },
  "a charge and a refund concern no place": scenario(
    [...THREE, fixedWindow({ limit: 10, window: "1h" })],
    [0, "reserve 1 yes, charge 3, refund 2, used 1 2, peek 1 limitRemaining=1 used=2"],
  ),
  "random holders never have more places than there are": async (bench) => {
    const below = randomBelow(31);
    const limiter = bench.limiter([concurrency({ max: 5, ttl: TTL_MS })]);
    const reserve = (count: number) => limiter.reserve("a", count);
    let held: { readonly reservation: Awaited<ReturnType<typeof reserve>>; count: number; untilMs: number }[] = [];
    for (let turn = 0; turn < 200; turn += 1) {
      const nowMs = bench.clock.now();
      held = held.filter(({ untilMs }) => untilMs > nowMs);
      const used = held.reduce((sum, { count }) => sum + count, 0);
      same(`turn ${turn}: used`, await usedOf(limiter), [used]);
      const place = below(8);
      const one = held[place];
      if (one === undefined) {
        const count = 1 + below(2);
        const reservation = await reserve(count);
        same(`turn ${turn}: allowed`, reservation.decision.allowed, used + count <= 5);
        if (reservation.decision.allowed) held.push({ reservation, count, untilMs: nowMs + TTL_MS });
      } else if (below(2) === 0) {
        same(`turn ${turn}: renewed`, await one.reservation.renew(), true);
        one.untilMs = nowMs + TTL_MS;
      } else {
        await one.reservation.cancel();
        held.splice(place, 1);
      }
      if (below(3) === 0) bench.clock.advance(below(TTL_MS / 2));
    }
  },
};
