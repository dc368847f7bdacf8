import type { LeaseArea } from "../../../../src/core/lease-area.ts";
import { createPlan } from "../../../../src/core/plan.ts";
import { concurrency } from "../../../../src/index.ts";
import { type LeaseTimes, leaseTimesOf } from "../../../../src/stores/hybrid/leases/lease-times.ts";
import { PlaceHolders } from "../../../../src/stores/hybrid/leases/place-holders.ts";
import { createStats } from "../../../../src/stores/hybrid/stats.ts";
import { AskClaim } from "../../../../src/stores/hybrid/threads/ask-claim.ts";
import { LeasedKeys } from "../../../../src/stores/hybrid/threads/leased-keys.ts";
import { PlacesOfProcess } from "../../../../src/stores/hybrid/threads/places-of-process.ts";
import { SharedPlaces } from "../../../../src/stores/hybrid/threads/shared-places.ts";
import type { PlacesReport } from "../../../../src/stores/redis/script/lease.ts";
import type { Call } from "./model-call.ts";

const PLAN = createPlan("model", "model", [concurrency({ max: 100, ttl: "1h" })]);
const TIMES = leaseTimesOf(PLAN) as LeaseTimes;
const HASH = [1, 2] as const;
/** Numbers of leases of this process follow. */
const FIRST = 1;
const HOLDER = { freePlaces: () => {}, renewPlaces: () => Promise.reject(new Error("expected no renewal")) };

/**
 * One thread that lends places of its process. `reserve` gets a call so many, and `cancel` frees those of the last one.
 * `charge` asks for so many more, and is granted them. `peek` reports what has changed, and `sweep` gives back what is
 * free. `explain` says what each lease has.
 */
export class PlaceCaller {
  readonly #context;
  readonly #thread: number;
  readonly #places: SharedPlaces;
  readonly #lent: { momentUs: number; count: number }[] = [];
  #added = 0;

  constructor(area: LeaseArea, thread: number) {
    const { memory } = area;
    const claim = new AskClaim(memory, thread + 1);
    const [stats, holders] = [createStats(), new PlaceHolders()];
    this.#thread = thread;
    this.#context = { memory, keys: new LeasedKeys(area), claim, stats, later: () => {} };
    const parts = { plan: PLAN, times: TIMES, stats, holders, holder: HOLDER, nowUs: 0 };
    this.#places = new SharedPlaces(this.#context, parts, HASH, FIRST);
  }

  play({ verb, cost, nowMs }: Call): string {
    const us = 1_000 * nowMs;
    switch (verb) {
      case "reserve": {
        const momentUs = this.#places.lend([cost], us, us);
        if (momentUs !== undefined) this.#lent.push({ momentUs, count: cost });
        return momentUs === undefined ? "0" : String(cost);
      }
      case "cancel": {
        const last = this.#lent.pop();
        if (last !== undefined) this.#places.giveUp(last.momentUs, [last.count]);
        return String(-(last?.count ?? 0));
      }
      case "charge":
        return this.#ask(cost, us);
      case "peek":
        return shown(this.#places.news(us));
      case "sweep":
        return shown(this.#places.giveBack());
      case "explain": {
        const { all } = new PlacesOfProcess(this.#context, ...HASH);
        return all.map(({ number, size, free }) => `${number} ${size} ${free}`).join();
      }
      default:
        throw new Error(`places: expected a verb that stands for something, got ${verb}`);
    }
  }

  /** The server knows what it is told, and grants what is wanted. */
  #ask(count: number, us: number): string {
    const asked = { us, wallUs: us };
    this.#added += 1;
    const { places, replaced } = this.#places.report(us);
    // Scenarios begin at time 0.
    const number = FIRST - 1 + 100 * (us === 0 ? 1 : 2 + this.#thread) + this.#added;
    const ask = { calls: 0, wanted: [count], ttlUs: TIMES.ttlUs, quietUs: 0, number, reports: [], places, replaced };
    const areKnown = places.map(() => true);
    this.#places.confirm(places, areKnown, asked);
    const lease = this.#places.mayAdd
      ? this.#places.add(ask, { free: [count], held: [0] }, TIMES.ttlUs, asked, true)
      : 0;
    this.#places.endAsk();
    return `${shown(places)}>${typeof lease === "object" ? number : 0}`;
  }
}

/** The number of each lease, and how many places it has. */
function shown(reports: readonly PlacesReport[]): string {
  return reports.map(({ number, units }) => `${number} ${units[0]}`).join();
}
