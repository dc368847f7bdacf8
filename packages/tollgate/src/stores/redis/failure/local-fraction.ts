import { transact } from "../../../algorithms/transact.ts";
import type { Clock } from "../../../core/clock.ts";
import { TollgateError } from "../../../core/errors.ts";
import type { Plan } from "../../../core/plan.ts";
import { Report } from "../../../core/report.ts";
import type { LimiterContext, SyncSpace, SyncStore } from "../../../core/store.ts";
import type { Taken } from "../../../core/taken.ts";
import { createTimeCell } from "../../../core/time-cell.ts";
import { VERBS, type Verb } from "../../../core/verbs.ts";
import {
  type FailurePolicy,
  NO_QUOTA_STATE,
  type QuotaCall,
  type QuotaState,
  RETRY_HINT_US,
  uncounted,
} from "./failure-policy.ts";
import { fractionOfPlan } from "./fraction-of-plan.ts";

/** Decides by a fraction of each limit, counted in this process. */
export class LocalFraction implements FailurePolicy {
  readonly #store: SyncStore;
  readonly #fraction: number;
  /** What the fallback knows of each limiter: one object, because it notifies each once. */
  readonly #contexts = new WeakMap<LimiterContext, LimiterContext>();

  constructor(store: SyncStore, fraction: number) {
    this.#store = store;
    this.#fraction = fraction;
  }

  open(plan: Plan, context: LimiterContext): QuotaState {
    // With limits chosen per call this is the middle of a call, which must not fail: the server may be available.
    const isMidCall = context.choosesLimits === true;
    const fraction = fractionOfPlan(plan, this.#fraction, isMidCall ? "raised" : "throws");
    try {
      return new FractionState(plan, this.#store.open(fraction, this.#contextOf(context)));
    } catch (error) {
      if (!isCapacityError(error)) throw error;
      if (isMidCall) return NO_QUOTA_STATE;
      throw fallbackError(error);
    }
  }

  #contextOf(context: LimiterContext): LimiterContext {
    const known = this.#contexts.get(context);
    if (known !== undefined) return known;
    const made = new FallbackContext(context);
    this.#contexts.set(context, made);
    return made;
  }

  decide(verb: Verb, calls: readonly QuotaCall[], nowUs: number, taken?: readonly Taken[]): Report {
    if (calls.some(({ quotaState }) => quotaState === NO_QUOTA_STATE)) return uncounted(false);
    try {
      return this.#decide(verb, calls, nowUs, taken);
    } catch (error) {
      if (isCapacityError(error)) return uncounted(false);
      throw error;
    }
  }

  #decide(verb: Verb, calls: readonly QuotaCall[], nowUs: number, taken?: readonly Taken[]): Report {
    const { refunds, reports } = VERBS[verb];
    if (refunds && taken?.[0]?.degraded === undefined) return new Report();
    const states = calls.map(({ quotaState }) => quotaState as FractionState);
    const report = transact(
      verb,
      calls.map(({ key, costs }, i) => ({ space: states[i]!.space, key, costs })),
      createTimeCell(nowUs),
      taken,
    );
    if (!reports) return report;
    let at = 0;
    for (const [i, { costs }] of calls.entries()) {
      states[i]!.describeWhole(costs, report, at);
      at += costs.length;
    }
    return report;
  }
}

/** What the fallback knows of a limiter. */
class FallbackContext implements LimiterContext {
  readonly isFallback = true;
  readonly clock: Clock;
  readonly choosesLimits?: true;
  readonly #context: LimiterContext;

  constructor(context: LimiterContext) {
    this.clock = context.clock;
    if (context.choosesLimits === true) this.choosesLimits = true;
    this.#context = context;
  }

  get onSweep(): LimiterContext["onSweep"] {
    return this.#context.onSweep;
  }

  get onMove(): LimiterContext["onMove"] {
    return this.#context.onMove;
  }
}

/** A store in fixed memory has no capacity for the plan; some stores detect this with the first key. */
function isCapacityError(error: unknown): error is TollgateError {
  return error instanceof TollgateError && error.code === "ERR_LIMITS";
}

function fallbackError(cause: TollgateError): TollgateError {
  return new TollgateError("ERR_OPTION", `onFailure.fallback: ${cause.message}`, { cause });
}

class FractionState implements QuotaState {
  readonly space: SyncSpace;
  readonly #plan: Plan;

  constructor(plan: Plan, space: SyncSpace) {
    this.#plan = plan;
    this.space = space;
  }

  /** Restates entries for the whole limits: what exceeds the fraction counts as used. */
  describeWhole(costs: readonly number[], report: Report, at: number): void {
    this.#plan.limits.forEach(({ capacity }, i) => {
      const elsewhere = capacity - this.space.plan.limits[i]!.capacity;
      report.used[at + i]! += elsewhere;
      report.usedAfterWait[at + i]! += elsewhere;
      // More than the fraction, but not more than the limit: the server may admit it once it is back.
      const never = report.waitUs[at + i] === Number.POSITIVE_INFINITY;
      if (never && costs[i]! <= capacity) report.waitUs[at + i] = RETRY_HINT_US;
    });
  }

  watchSweeps(): void {
    this.space.watchSweeps?.();
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
