import type { Plan } from "../../../core/plan.ts";
import type { LeaseGrant } from "../../redis/script/lease.ts";
import { chunkUsOf, type LeaseTimes } from "./lease-times.ts";

/** A lease of fewer units saves no call. */
const LEAST_UNITS = 5;
/** No lease takes more than this part of a capacity. */
const MOST_OF_CAPACITY = 1 / 2;
/** A lease is renewed when this part of it is left, or earlier where a round trip takes longer. */
const LOW = 0.1;
/** The weight of the last round trip in their average. */
const WEIGHT = 1 / 8;
/** The most units in advance before the server has answered. */
const FIRST_UNITS = 8;

/** How many units a node takes in advance for one key, by its demand, and when it renews them. */
export class Sizing {
  /** Units of each limit with which a lease is renewed. */
  readonly low: number[];
  /** A lease is renewed when less than this time remains: two round trips. */
  marginUs = 0;
  /** The usual time of a request. */
  #roundTripUs = 0;
  readonly #plan: Plan;
  readonly #times: LeaseTimes;
  /** Units of each limit that were counted since the demand was averaged last. */
  readonly #counted: number[];
  /** The demand: units per microsecond and limit, averaged over the time of one lease. */
  readonly #perUs: number[];
  /** A burst raises the demand to twice what it was at the last answer, so that a pulse takes little in advance. */
  readonly #mostUnits: number[];
  #averagedUs: number;
  /** How many nodes asked lately. */
  #nodes = 1;

  constructor(plan: Plan, times: LeaseTimes, nowUs: number) {
    this.#plan = plan;
    this.#times = times;
    this.low = plan.limits.map(() => 0);
    this.#counted = plan.limits.map(() => 0);
    this.#perUs = plan.limits.map(() => 0);
    this.#mostUnits = plan.limits.map(() => FIRST_UNITS);
    this.#averagedUs = nowUs;
  }

  /** Counts a call, whether or not it is admitted. */
  count(costs: readonly number[]): void {
    for (let limit = 0; limit < costs.length; limit += 1) this.#counted[limit]! += costs[limit]!;
  }

  /** Units to take in advance, one entry per limit; zeros if a lease does not pay. */
  wanted(us: number): readonly number[] {
    const chunkUs = chunkUsOf(this.#times, this.#nodes);
    this.#average(us, chunkUs);
    const wanted = this.#plan.limits.map(({ capacity }, limit) => {
      const most = Math.floor(capacity * MOST_OF_CAPACITY);
      return Math.min(Math.ceil(this.#perUs[limit]! * chunkUs), most);
    });
    return Math.max(...wanted) < LEAST_UNITS ? wanted.map(() => 0) : wanted;
  }

  /** Notes an answer of the server, and how long it took. The demand may grow again. */
  answered({ nodes, units }: LeaseGrant, tookUs: number): void {
    this.#nodes = nodes;
    const chunkUs = chunkUsOf(this.#times, nodes);
    const before = this.#roundTripUs === 0 ? tookUs : this.#roundTripUs;
    this.#roundTripUs = before + (tookUs - before) * WEIGHT;
    this.marginUs = 2 * this.#roundTripUs;
    for (const [limit, granted] of units.entries()) {
      const perUs = this.#perUs[limit]!;
      this.#mostUnits[limit] = Math.max(FIRST_UNITS, 2 * perUs * chunkUs);
      // A limit of which nothing is spent is not low.
      const low = Math.min(Math.max(granted * LOW, perUs * this.marginUs), granted / 2);
      this.low[limit] = granted > 0 ? low : -1;
    }
  }

  /** Averages over the time of one lease. Within half of it the average grows only. */
  #average(nowUs: number, chunkUs: number): void {
    const passedUs = nowUs - this.#averagedUs;
    const isShort = passedUs < chunkUs / 2;
    const weight = Math.min(1, passedUs / chunkUs);
    for (let limit = 0; limit < this.#perUs.length; limit += 1) {
      const before = this.#perUs[limit]!;
      const perUs = this.#counted[limit]! / Math.max(passedUs, chunkUs / 2);
      const grown = Math.max(before, Math.min(perUs, this.#mostUnits[limit]! / chunkUs));
      this.#perUs[limit] = isShort ? grown : before * (1 - weight) + perUs * weight;
      if (!isShort) this.#counted[limit] = 0;
    }
    if (!isShort) this.#averagedUs = nowUs;
  }
}
