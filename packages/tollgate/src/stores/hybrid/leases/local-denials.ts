import { countsPlaces } from "../../../core/limits/concurrency-limit.ts";
import type { Plan } from "../../../core/plan.ts";
import { Report } from "../../../core/report.ts";
import type { LeaseGrant } from "../../redis/script/lease.ts";
import type { Held, HeldDenial } from "./held.ts";
import type { LeaseTimes } from "./lease-times.ts";

/** Calls that cost as much or more are denied until a moment. */
export interface LocalDenial {
  readonly costs: readonly number[];
  readonly untilUs: number;
  readonly report: Report;
}

/** Another process may end a block, which has to be honoured within a second. */
const LONGEST_BLOCK_US = 1_000_000;

/** For each node a pause is this part of the time for which a lease of a lone node is enough. */
const PAUSE_OF_NODE = 3 / 4;

/** Without a place, a node asks again after so long for each node, up to so many. */
const PLACE_PAUSE_US = 10_000;
const MOST_NODES = 10;

const NO_DENIAL: HeldDenial = { costs: [], untilUs: 0 };

/**
 * The last denial of a key. If little is left for other nodes, a node asks again only after a pause, in which enough
 * units refill for a request of each node. Pauses are random, from nothing to twice that: if nodes asked again at the
 * same time, the bucket would be full and refill no more before they do.
 */
export class LocalDenials {
  readonly #times: LeaseTimes;
  readonly #random: () => number;
  readonly #held: Pick<Held, "findDenial" | "noteDenial">;
  #last: LocalDenial | undefined;

  constructor(times: LeaseTimes, random: () => number, held: Pick<Held, "findDenial" | "noteDenial">) {
    this.#times = times;
    this.#random = random;
    this.#held = held;
  }

  /** The denial that holds for a call. */
  find(costs: readonly number[], us: number): LocalDenial | undefined {
    const denial = this.#inForce(us);
    if (denial === undefined) return undefined;
    for (let limit = 0; limit < costs.length; limit += 1) if (costs[limit]! < denial.costs[limit]!) return undefined;
    return denial;
  }

  noteDenial(costs: readonly number[], plan: Plan, report: Report, grant: LeaseGrant, us: number): void {
    const { block } = report;
    if (block !== undefined) {
      this.#note(
        costs.map(() => 0),
        report,
        us + Math.min(block.forUs, LONGEST_BLOCK_US),
      );
      return;
    }
    // Another call may free a place at any moment.
    if (plan.limits.some((limit, i) => countsPlaces(limit) && !report.conforms[i]!)) {
      this.#note(costs, report, us + this.#placePauseUs(grant));
      return;
    }
    const waitUs = Math.max(...plan.limits.map((_, i) => report.waitUs[i]!));
    // A cost that never conforms is rare, and would be denied for ever.
    if (Number.isFinite(waitUs)) this.#note(costs, report, us + Math.max(waitUs, this.#pauseUs(grant)));
  }

  /** What is left was granted. @returns when the node may ask again. */
  noteScarcity(plan: Plan, report: Report, grant: LeaseGrant, us: number): number {
    if (plan.takesPlaces) return us + this.#placePauseUs(grant);
    const untilUs = us + this.#pauseUs(grant);
    this.#note(
      grant.units.map(() => 0),
      report,
      untilUs,
    );
    return untilUs;
  }

  /** Units have come back: no thread remembers the denial. */
  forget(): void {
    this.#last = undefined;
    this.#held.noteDenial(NO_DENIAL);
  }

  #note(costs: readonly number[], report: Report, untilUs: number): void {
    this.#last = { costs, untilUs, report };
    // What is known of a block is in the report, so each thread asks for itself.
    this.#held.noteDenial(report.block === undefined ? this.#last : NO_DENIAL);
  }

  #inForce(us: number): LocalDenial | undefined {
    if (this.#last !== undefined && us < this.#last.untilUs) return this.#last;
    this.#last = undefined;
    const other = this.#held.findDenial(us);
    return other === undefined ? undefined : { ...other, report: new Report() };
  }

  #placePauseUs({ nodes }: LeaseGrant): number {
    return Math.min(nodes, MOST_NODES) * PLACE_PAUSE_US * (0.75 + this.#random() / 2);
  }

  #pauseUs({ isScarce, nodes }: LeaseGrant): number {
    const { chunkUs, pauseUs } = this.#times;
    return isScarce ? Math.min(PAUSE_OF_NODE * nodes * chunkUs, pauseUs) * 2 * this.#random() : 0;
  }
}
