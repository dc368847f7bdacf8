import type { LeaseArea } from "../../../core/lease-area.ts";
import { countsPlaces } from "../../../core/limits/concurrency-limit.ts";
import { identityOf, type Plan } from "../../../core/plan.ts";
import { LEASES_OF_HOLDER } from "../../redis/script/lease.ts";
import type { HeldTogether } from "../leases/leased-key.ts";
import type { NodeTime } from "../leases/node-time.ts";
import type { LeaseStats } from "../stats.ts";
import { AskClaim } from "./ask-claim.ts";
import { HOLDER_AT, MOST_LIMITS, MOST_PLACES, NEXT_NUMBER_AT, THREADS_AT } from "./layout.ts";
import { LeasedKeys } from "./leased-keys.ts";
import { type HeldContext, SharedHeld } from "./shared-held.ts";
import { SharedPlaces } from "./shared-places.ts";

export interface ThreadLeasesParts {
  readonly area: LeaseArea;
  readonly stats: LeaseStats;
  /** A random number from 0 up to 1. */
  readonly random: () => number;
  /** Calls back soon. */
  readonly later: (work: () => void) => void;
}

/** One thread's part in the leases that all threads of a process spend together. */
export class ThreadLeases {
  readonly #area: LeaseArea;
  readonly #context: HeldContext;
  /** The first number of the leases of this process. */
  readonly #first: number;

  constructor({ area, stats, random, later }: ThreadLeasesParts) {
    const { memory } = area;
    const { words, atomics } = memory;
    const thread = (atomics.add(words, area.at + THREADS_AT, 1) + 1) | 0;
    this.#area = area;
    this.#context = { memory, stats, later, keys: new LeasedKeys(area), claim: new AskClaim(memory, thread) };
    // All threads are one node: the first one chooses its number.
    const chosen = 1 + Math.floor(random() * (2 ** 32 - 1));
    atomics.compareExchange(words, area.at + HOLDER_AT, 0, chosen);
    this.#first = (atomics.load(words, area.at + HOLDER_AT) >>> 0) * LEASES_OF_HOLDER;
  }

  /** The number of the next lease of this process. */
  next(): number {
    const { words, atomics } = this.#area.memory;
    return this.#first + ((atomics.add(words, this.#area.at + NEXT_NUMBER_AT, 1) >>> 0) % LEASES_OF_HOLDER);
  }

  /** What the process holds of a key; `undefined` if its words cannot hold that. `keysOf` names the plan's keys. */
  heldOf(plan: Plan, keysOf: string, key: string, time: NodeTime): HeldTogether | undefined {
    const { limits } = plan;
    const ofPlaces = limits.filter(countsPlaces);
    const hasMany = ofPlaces.length > 1 || ofPlaces.some(({ capacity }) => capacity > MOST_PLACES);
    if (limits.length > MOST_LIMITS || hasMany) return undefined;
    const hashOf = (what: string): readonly [number, number] => {
      // Units are in the order of the limits. Zeros stand for no key.
      const [low, high] = this.#area.hash(JSON.stringify([what, keysOf, limits.map(identityOf), key]));
      return [low, high === 0 ? 1 : high];
    };
    const [low, high] = hashOf("lease");
    return {
      units: new SharedHeld(this.#context, limits.length, low, high, time),
      placesOf: (parts) => new SharedPlaces(this.#context, parts, hashOf("places"), this.#first),
    };
  }
}
