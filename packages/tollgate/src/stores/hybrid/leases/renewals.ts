import type { StrictReason } from "../../../core/lease-status.ts";
import type { Plan } from "../../../core/plan.ts";
import type { Report } from "../../../core/report.ts";
import type { LeaseGrant } from "../../redis/script/lease.ts";
import type { HeldLeases } from "./held-leases.ts";
import { type LeaseTimes, UNITS_OF_NODE } from "./lease-times.ts";
import type { LocalDenials } from "./local-denials.ts";
import type { Sizing } from "./sizing.ts";

/** A renewal that failed is not repeated for so long, unless a call waits. */
const PAUSE_AFTER_FAILURE_US = 100_000;
/** A key whose capacity is too small for its nodes is asked call by call for so many times a lease's worth. */
const STRICT_CHUNKS = 20;

export interface RenewalsParts {
  readonly plan: Plan;
  readonly times: LeaseTimes;
  readonly held: HeldLeases;
  readonly sizing: Sizing;
  readonly denials: LocalDenials;
}

/** When leases of a key pay, and when it asks for more of them. */
export class Renewals {
  readonly #parts: RenewalsParts;
  readonly #nothing: readonly number[];
  /** No renewals before this moment. */
  #fromUs = Number.NEGATIVE_INFINITY;
  /** The key is asked call by call before this moment. */
  #leasesFromUs = Number.NEGATIVE_INFINITY;

  constructor(parts: RenewalsParts) {
    this.#parts = parts;
    this.#nothing = parts.plan.limits.map(() => 0);
  }

  /** Whether too many nodes share the capacity, so that each call asks. */
  isStrict(us: number): boolean {
    return us < this.#leasesFromUs;
  }

  /** Whether the key may have leases: it has some, or demand for some. */
  mayLease(us: number): boolean {
    return this.#parts.held.count > 0 || this.#isWanted(us);
  }

  /** Why each call asks; `undefined` if the key may have leases. */
  why(us: number): StrictReason | undefined {
    if (this.isStrict(us)) return "too many nodes";
    return this.mayLease(us) ? undefined : "little demand";
  }

  /** Whether to ask for more, after a call left little of the leases. */
  isDue(us: number): boolean {
    const { denials, times } = this.#parts;
    if (us < this.#fromUs) return false;
    const denial = denials.find(this.#nothing, us);
    if (denial !== undefined) this.#fromUs = denial.untilUs;
    else if (this.#isWanted(us)) return true;
    else this.#fromUs = us + times.chunkUs / 4;
    return false;
  }

  pauseAfterFailure(us: number): void {
    this.#fromUs = us + PAUSE_AFTER_FAILURE_US;
  }

  /** The server admitted all calls, but granted less than was wanted. */
  noteScarcity(report: Report, grant: LeaseGrant, us: number): void {
    this.#fromUs = this.#parts.denials.noteScarcity(report, grant, us);
  }

  /** Notes how many nodes there are. @returns whether they are too many: until later, each call asks. */
  noteNodes(nodes: number, us: number): boolean {
    const { chunkUs, leastCapacity } = this.#parts.times;
    if (leastCapacity >= UNITS_OF_NODE * nodes) return false;
    this.#leasesFromUs = us + STRICT_CHUNKS * chunkUs;
    return true;
  }

  #isWanted(us: number): boolean {
    return this.#parts.sizing.wanted(us).some((units) => units > 0);
  }
}
