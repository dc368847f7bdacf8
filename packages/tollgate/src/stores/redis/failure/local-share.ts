import { transact } from "../../../algorithms/transact.ts";
import { TollgateError } from "../../../core/errors.ts";
import type { Plan } from "../../../core/plan.ts";
import { Report } from "../../../core/report.ts";
import type { LimiterContext, SyncSpace, SyncStore, TakenFrom, Verb } from "../../../core/store.ts";
import { createTimeCell } from "../../../core/time-cell.ts";
import { ASK_AGAIN_US, type FailurePolicy, NO_STAND, type Stand, type StandCall, uncounted } from "./failure-policy.ts";
import { shareOfPlan } from "./share-of-plan.ts";

/** Decides by a share of each limit, kept in this process. */
export class LocalShare implements FailurePolicy {
  readonly #store: SyncStore;
  readonly #share: number;

  constructor(store: SyncStore, share: number) {
    this.#store = store;
    this.#share = share;
  }

  open(plan: Plan, host: LimiterContext): Stand {
    // Opened in the middle of a call, which must not fail for the fallback: the server may be in reach.
    const isMidCall = host.choosesLimits === true;
    const share = shareOfPlan(plan, this.#share, isMidCall ? "raised" : "refused");
    try {
      return new SharedStand(plan, this.#store.open(share, host));
    } catch (error) {
      if (isMidCall && isNoRoom(error)) return NO_STAND;
      throw optionError(error);
    }
  }

  decide(verb: Verb, calls: readonly StandCall[], nowUs: number, takenFrom?: TakenFrom): Report {
    if (calls.some(({ stand }) => stand === NO_STAND)) return uncounted(false);
    try {
      return this.#decide(verb, calls, nowUs, takenFrom);
    } catch (error) {
      if (isNoRoom(error)) return uncounted(false);
      throw error;
    }
  }

  #decide(verb: Verb, calls: readonly StandCall[], nowUs: number, takenFrom?: TakenFrom): Report {
    if (verb === "refund" && takenFrom?.degraded === undefined) return new Report();
    const stands = calls.map(({ stand, key, costs }) => ({ stand: stand as SharedStand, key, costs }));
    const report = transact(
      verb,
      stands.map(({ stand, key, costs }) => ({ space: stand.space, key, costs })),
      createTimeCell(nowUs),
      takenFrom,
    );
    if (verb === "refund") return report;
    let at = 0;
    for (const { stand, costs } of stands) {
      stand.restate(costs, report, at);
      at += costs.length;
    }
    return report;
  }
}

/** A store in fixed memory has none for so many limits, or such wide ones; some find out only when they are asked. */
function isNoRoom(error: unknown): error is TollgateError {
  return error instanceof TollgateError && error.code === "ERR_LIMITS";
}

/** The error of a fallback without memory, with the option that it comes by. */
function optionError(error: unknown): unknown {
  if (!isNoRoom(error)) return error;
  return new TollgateError("ERR_OPTION", `onFailure.fallback: ${error.message}`, { cause: error });
}

class SharedStand implements Stand {
  readonly space: SyncSpace;
  readonly #plan: Plan;

  constructor(plan: Plan, space: SyncSpace) {
    this.#plan = plan;
    this.space = space;
  }

  /** Tells of the whole limits what is left of the share: the rest counts as used. */
  restate(costs: readonly number[], report: Report, at: number): void {
    this.#plan.limits.forEach(({ capacity }, i) => {
      const elsewhere = capacity - this.space.plan.limits[i]!.capacity;
      report.used[at + i]! += elsewhere;
      report.usedAfterWait[at + i]! += elsewhere;
      // More than the share, but not more than the limit: it may pass once the server is back.
      const never = report.waitUs[at + i] === Number.POSITIVE_INFINITY;
      if (never && costs[i]! <= capacity) report.waitUs[at + i] = ASK_AGAIN_US;
    });
  }

  drop(key: string): void {
    this.space.drop(key);
  }

  clear(): void {
    this.space.clear();
  }

  release(): void {
    this.space.release();
  }
}
