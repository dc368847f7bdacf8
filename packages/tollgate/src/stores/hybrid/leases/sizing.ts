import type { Plan } from "../../../core/plan.ts";
import type { LeaseGrant } from "../../redis/script/lease.ts";
import { Demand } from "./demand.ts";
import type { Reserve } from "./held-leases.ts";
import { chunkUsOf, type LeaseTimes } from "./lease-times.ts";

/** A lease of fewer units saves no call. */
const LEAST_UNITS = 5;
/** No lease takes more than this part of a capacity. */
const MOST_OF_CAPACITY = 1 / 2;
/** A lease is renewed when this part of it is left, or earlier where a round trip takes longer. */
const LOW = 0.1;
/** The weight of the last round trip in their average. */
const WEIGHT = 1 / 8;

/** How many units a node takes in advance for one key, and when it renews them. */
export class Sizing implements Reserve {
  /** Units of each limit with which a lease is renewed. */
  readonly low: number[];
  /** A lease is renewed when less than this time remains: two round trips. */
  marginUs = 0;
  /** The usual time of a request. */
  #roundTripUs = 0;
  readonly #plan: Plan;
  readonly #times: LeaseTimes;
  readonly #demand: Demand;

  constructor(plan: Plan, times: LeaseTimes, nowUs: number) {
    this.#plan = plan;
    this.#times = times;
    this.low = plan.limits.map(() => 0);
    this.#demand = new Demand(plan.limits.length, nowUs);
  }

  count(costs: readonly number[]): void {
    this.#demand.count(costs);
  }

  /** Units to take in advance, one entry per limit; zeros if a lease does not pay. */
  wanted(us: number): readonly number[] {
    const chunkUs = chunkUsOf(this.#times, this.#demand.nodes);
    this.#demand.update(us, chunkUs);
    const wanted = this.#plan.limits.map(({ capacity }, limit) => {
      const most = Math.floor(capacity * MOST_OF_CAPACITY);
      return Math.min(Math.ceil(this.#demand.expected(limit, chunkUs)), most);
    });
    return Math.max(...wanted) < LEAST_UNITS ? wanted.map(() => 0) : wanted;
  }

  /** Notes an answer of the server, and how long it took. */
  answered({ nodes, units }: LeaseGrant, tookUs: number): void {
    this.#demand.answered(nodes, chunkUsOf(this.#times, nodes));
    const before = this.#roundTripUs === 0 ? tookUs : this.#roundTripUs;
    this.#roundTripUs = before + (tookUs - before) * WEIGHT;
    this.marginUs = 2 * this.#roundTripUs;
    const { low } = this;
    for (let limit = 0; limit < low.length; limit += 1) {
      const granted = units[limit]!;
      const asked = this.#demand.expected(limit, this.marginUs);
      // A limit of which nothing is spent is not low.
      low[limit] = granted > 0 ? Math.min(Math.max(granted * LOW, asked), granted / 2) : -1;
    }
  }
}
