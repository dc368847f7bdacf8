import { transact } from "../../../algorithms/transact.ts";
import type { Plan } from "../../../core/plan.ts";
import { Report } from "../../../core/report.ts";
import type { Host, SyncSpace, SyncStore, TakenFrom, Verb } from "../../../core/store.ts";
import { ASK_AGAIN_US, type FailurePolicy, type Stand, type StandCall } from "./failure-policy.ts";
import { shareOfPlan } from "./share-of-plan.ts";

/** Decides by a share of each limit, kept in this process. */
export class LocalShare implements FailurePolicy {
  readonly #store: SyncStore;
  readonly #share: number;

  constructor(store: SyncStore, share: number) {
    this.#store = store;
    this.#share = share;
  }

  open(plan: Plan, host: Host): Stand {
    // A plan that is opened in the middle of a call: the call would have to throw, with the server in reach or not.
    const tooSlow = host.choosesLimits === true ? "raised" : "refused";
    return new SharedStand(plan, this.#store.open(shareOfPlan(plan, this.#share, tooSlow), host));
  }

  decide(verb: Verb, calls: readonly StandCall[], nowUs: number, takenFrom?: TakenFrom): Report {
    if (verb === "refund" && takenFrom?.degraded === undefined) return new Report();
    const stands = calls.map(({ stand, key, costs }) => ({ stand: stand as SharedStand, key, costs }));
    const report = transact(
      verb,
      stands.map(({ stand, key, costs }) => ({ space: stand.space, key, costs })),
      nowUs,
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
