import type { Clock } from "../../core/clock.ts";
import { TollgateError } from "../../core/errors.ts";
import { RETRY_HINT_US } from "../../core/lost-call.ts";
import { createPlan, type Plan } from "../../core/plan.ts";
import type { Report } from "../../core/report.ts";
import type { LimiterContext, SyncSpace, SyncStore } from "../../core/store.ts";
import { fractionOfLimit, type TooSlow } from "./fraction-of-rate.ts";

/** Counts a fraction of each limit in a store of this process. */
export class FractionStore {
  readonly #store: SyncStore;
  readonly #fraction: number;
  /** What the store knows of each limiter: one object, because it notifies each once. */
  readonly #contexts = new WeakMap<LimiterContext, LimiterContext>();

  constructor(store: SyncStore, fraction: number) {
    this.#store = store;
    this.#fraction = fraction;
  }

  /**
   * The space of a plan. With limits chosen per call this is the middle of a call, which must not fail, because the
   * server may be available: then it is `undefined` for a plan that the store cannot count.
   *
   * @throws TollgateError `ERR_OPTION` for fixed limits that it cannot count.
   */
  open(plan: Plan, context: LimiterContext): FractionSpace | undefined {
    const isMidCall = context.choosesLimits === true;
    const fraction = fractionOfPlan(plan, this.#fraction, isMidCall ? "raised" : "throws");
    try {
      return new FractionSpace(plan, this.#store.open(fraction, this.#contextOf(context)));
    } catch (error) {
      if (!isCapacityError(error)) throw error;
      if (isMidCall) return undefined;
      throw fallbackError(error);
    }
  }

  #contextOf(context: LimiterContext): LimiterContext {
    const known = this.#contexts.get(context) ?? new FallbackContext(context);
    this.#contexts.set(context, known);
    return known;
  }
}

function fallbackError(cause: TollgateError): TollgateError {
  return new TollgateError("ERR_OPTION", `onFailure.fallback: ${cause.message}`, { cause });
}

/** A fraction of one plan's limits. */
export class FractionSpace {
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
}

/** A store in fixed memory has no capacity for the plan; some stores detect this with the first key. */
export function isCapacityError(error: unknown): error is TollgateError {
  return error instanceof TollgateError && error.code === "ERR_LIMITS";
}

/**
 * The plan that one node enforces while the server is unavailable: a fraction of each limit, but at least one unit.
 * Windows keep their length, so only a bucket's fraction can be too slow.
 *
 * @throws TollgateError `ERR_OPTION` for a fraction that is too slow, where that is `"throws"`.
 */
export function fractionOfPlan({ scope, limiter, limits, onChange }: Plan, fraction: number, tooSlow: TooSlow): Plan {
  const fractions = limits.map((limit) => {
    const capacity = Math.max(1, Math.floor(limit.capacity * fraction));
    return fractionOfLimit(limit, capacity, fraction, tooSlow);
  });
  // Figures are restated for the plan's own limits, so a fraction keeps no others.
  return createPlan(scope, limiter, fractions, onChange === "keep-first" ? "carry-over" : onChange);
}

/** What the store knows of a limiter. */
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

  get onMove(): LimiterContext["onMove"] {
    return this.#context.onMove;
  }
}
