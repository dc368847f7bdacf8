import type { LeaseArea } from "../../../../src/core/lease-area.ts";
import { createStats } from "../../../../src/stores/hybrid/stats.ts";
import { AskClaim } from "../../../../src/stores/hybrid/threads/ask-claim.ts";
import { LeasedKeys } from "../../../../src/stores/hybrid/threads/leased-keys.ts";
import { SharedHeld } from "../../../../src/stores/hybrid/threads/shared-held.ts";
import type { Call } from "./model-call.ts";

/** What threads of a scenario do with leases that they hold together. */
export interface LeaseModel {
  /** How many limits each lease has units for. Calls cost the same of each. */
  readonly limits: number;
  /** Whether they are leases of places. */
  readonly ofPlaces?: true;
}

/** How long a lease lasts. */
const LEASE_MS = 1_000;
/** A margin for drift is taken off. */
export const SPENDABLE_MS = 0.99 * LEASE_MS;

const HASHES: Readonly<Record<string, readonly [number, number]>> = { ann: [1, 2], bob: [3, 4] };

/**
 * One thread that spends leases. Verbs of limiters stand for what it does. `allow` spends a cost, and `charge` puts a
 * lease of so many units. `peek` reports what is left, `refund` gives back, and `sweep` drops what has ended. `reserve`
 * begins to ask the server, and `settle` ends that. `explain` says what is left.
 */
export class LeaseCaller {
  readonly #heldOf: (key: string) => SharedHeld;
  readonly #limits: number;
  readonly #thread: number;
  #nowMs = 0;
  #added = 0;

  constructor({ limits }: LeaseModel, area: LeaseArea, thread: number) {
    this.#limits = limits;
    this.#thread = thread;
    const { memory } = area;
    const claim = new AskClaim(memory, thread + 1);
    const context = { memory, keys: new LeasedKeys(area), claim, stats: createStats(), later: () => {} };
    const us = () => this.#nowMs * 1_000;
    const held = new Map<string, SharedHeld>();
    this.#heldOf = (key) => {
      const known = held.get(key);
      if (known !== undefined) return known;
      const [low, high] = HASHES[key]!;
      const made = new SharedHeld(context, limits, low, high, { us, wallUs: us });
      held.set(key, made);
      return made;
    };
  }

  play({ verb, key, cost, nowMs }: Call): string {
    this.#nowMs = nowMs;
    const us = nowMs * 1_000;
    const held = this.#heldOf(key);
    const each = (units: number) => Array.from({ length: this.#limits }, () => units);
    switch (verb) {
      case "allow":
        return String(held.spend(each(cost), us, us));
      case "charge": {
        this.#added += 1;
        const number = 100 * (1 + this.#thread) + this.#added;
        const grant = {
          endsUs: us + LEASE_MS * 1_000,
          lastsUs: LEASE_MS * 1_000,
          nodes: 1,
          isScarce: false,
          areKnown: [],
        };
        return String(held.add({ ...grant, units: each(cost) }, number, { us, wallUs: us }));
      }
      case "peek":
        return shown(held.report(us, us));
      case "refund":
        return shown(held.giveBack(us, us));
      case "sweep":
        held.expire(us, us);
        return "";
      case "reserve":
        return String(held.prepare(us) && held.beginAsk(us, undefined));
      case "settle":
        held.endAsk();
        return "";
      case "explain":
        return each(0)
          .map((_, limit) => held.units(limit, us, us))
          .join();
      default:
        throw new Error(`leases: expected a verb that stands for something, got ${verb}`);
    }
  }
}

/** The sums of what is kept and of what is returned, for each limit. */
function shown(reports: readonly { readonly isReturned: boolean; readonly units: readonly number[] }[]): string {
  const sums = (isReturned: boolean) => {
    const units = reports.filter((report) => report.isReturned === isReturned).map((report) => report.units);
    return units.length === 0
      ? "0"
      : units[0]!.map((_, limit) => units.reduce((sum, its) => sum + its[limit]!, 0)).join();
  };
  return `${sums(false)} kept; ${sums(true)} returned`;
}
