import type { Plan } from "../../../core/plan.ts";
import type { Report } from "../../../core/report.ts";
import type { LeaseGrant } from "../../redis/script/lease.ts";
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

/**
 * The last denial of a key. If little is left for other nodes, a node asks again only after a pause, in which enough
 * units refill for a request of each node. Pauses are random, from nothing to twice that: if nodes asked again at the
 * same time, the bucket would be full and refill no more before they do.
 */
export class LocalDenials {
  readonly #times: LeaseTimes;
  readonly #random: () => number;
  #last: LocalDenial | undefined;

  constructor(times: LeaseTimes, random: () => number) {
    this.#times = times;
    this.#random = random;
  }

  /** The denial that holds for a call. */
  find(costs: readonly number[], us: number): LocalDenial | undefined {
    const denial = this.#last;
    if (denial === undefined || us >= denial.untilUs) return undefined;
    for (let limit = 0; limit < costs.length; limit += 1) if (costs[limit]! < denial.costs[limit]!) return undefined;
    return denial;
  }

  noteDenial(costs: readonly number[], plan: Plan, report: Report, grant: LeaseGrant, us: number): void {
    const { block } = report;
    if (block !== undefined) {
      const untilUs = us + Math.min(block.forUs, LONGEST_BLOCK_US);
      this.#last = { costs: costs.map(() => 0), report, untilUs };
      return;
    }
    const waitUs = Math.max(...plan.limits.map((_, i) => report.waitUs[i]!));
    // A cost that never conforms is rare, and would be denied for ever.
    if (!Number.isFinite(waitUs)) return;
    this.#last = { costs, report, untilUs: us + Math.max(waitUs, this.#pauseUs(grant)) };
  }

  /** What is left was granted. @returns when the node may ask again. */
  noteScarcity(report: Report, grant: LeaseGrant, us: number): number {
    const untilUs = us + this.#pauseUs(grant);
    this.#last = { costs: grant.units.map(() => 0), report, untilUs };
    return untilUs;
  }

  /** Units have come back, so the denial holds no more. */
  forget(): void {
    this.#last = undefined;
  }

  #pauseUs({ isScarce, nodes }: LeaseGrant): number {
    const { chunkUs, pauseUs } = this.#times;
    return isScarce ? Math.min(PAUSE_OF_NODE * nodes * chunkUs, pauseUs) * 2 * this.#random() : 0;
  }
}
