import { transact } from "../../algorithms/transact.ts";
import { checkOnFailure } from "../../core/check-on-failure.ts";
import { lostError, RETRY_HINT_US } from "../../core/lost-call.ts";
import type { Plan } from "../../core/plan.ts";
import { Report } from "../../core/report.ts";
import type { LimiterContext, OnFailure } from "../../core/store.ts";
import type { Taken } from "../../core/taken.ts";
import { createTimeCell } from "../../core/time-cell.ts";
import { VERBS, type Verb } from "../../core/verbs.ts";
import { type FractionSpace, FractionStore, isCapacityError } from "./fraction-store.ts";
import type { Notifier } from "./notifier.ts";
import { BYPASSED, OVERLOADED, type UnavailableError } from "./unavailable-error.ts";

/** How the calls of a space are decided while the server is unavailable: a fraction counts in this process. */
export type Fallback = "allow" | "deny" | "throw" | FractionSpace;

/** A call that is decided without the server. */
interface CallWithout {
  readonly space: { readonly fallback: Fallback; readonly context: LimiterContext };
  readonly key: string;
  /** One checked cost per limit. */
  readonly costs: readonly number[];
}

/** Opens fallbacks by the option of a store, in whose place a limiter may have its own. */
export class Fallbacks {
  readonly #ofStore: OnFailure;
  /** By the option: a fraction notes which limiters it knows. */
  readonly #fractions = new WeakMap<object, FractionStore>();

  /** @throws TollgateError `ERR_OPTION`. */
  constructor(onFailure: OnFailure) {
    this.#ofStore = checkOnFailure(onFailure);
  }

  /** @throws TollgateError `ERR_OPTION` for fixed limits that a fraction cannot count. */
  open(plan: Plan, context: LimiterContext): Fallback {
    const onFailure = context.onFailure ?? this.#ofStore;
    if (typeof onFailure === "string") return onFailure;
    const known = this.#fractions.get(onFailure) ?? new FractionStore(onFailure.fallback, onFailure.share);
    this.#fractions.set(onFailure, known);
    return known.open(plan, context) ?? "deny";
  }
}

/**
 * Decides a call that the server did not decide, and warns if no observer is notified. If its spaces have different
 * fallbacks, the strictest one decides. A `refund` returns only units that a fraction took, by `taken`. Other units
 * belong to the server.
 *
 * @throws TollgateError `ERR_STORE` under `"throw"`.
 */
export function decideWithout(
  error: UnavailableError,
  verb: Verb,
  calls: readonly CallWithout[],
  nowUs: number,
  taken: readonly Taken[] | undefined,
  notifier: Notifier,
): Report {
  if (error.kind === "overload") return OVERLOAD_DENIAL;
  const isLost = taken?.[0]?.degraded === undefined;
  if (isLost) {
    if (calls.some(({ space }) => space.fallback === "throw")) throw lostError(error);
    const contexts = calls.map(({ space }) => space.context);
    if (error !== BYPASSED) notifier.degraded(error.reason, contexts);
  }
  const report = decideHere(verb, calls, nowUs, taken);
  report.degraded = error.reason;
  if (isLost) report.lost = error;
  return report;
}

function decideHere(verb: Verb, calls: readonly CallWithout[], nowUs: number, taken?: readonly Taken[]): Report {
  if (calls.some(({ space }) => space.fallback === "deny")) return uncounted(false);
  const counted = calls.flatMap(({ space: { fallback }, key, costs }, i) =>
    typeof fallback === "string" ? [] : [{ space: fallback.space, key, costs, taken: taken?.[i] }],
  );
  if (counted.length === 0) return uncounted(true);
  const { refunds, reports } = VERBS[verb];
  if (refunds && taken?.[0]?.degraded === undefined) return new Report();
  const receipts = taken && counted.flatMap((call) => call.taken ?? []);
  try {
    const report = transact(verb, counted, createTimeCell(nowUs), receipts);
    return reports ? describe(report, calls) : report;
  } catch (error) {
    if (isCapacityError(error)) return uncounted(false);
    throw error;
  }
}

/** The report of a call that is not counted. */
function uncounted(admitted: boolean): Report {
  const report = new Report();
  report.admitted = admitted;
  report.unavailableForUs = RETRY_HINT_US;
  return report;
}

/**
 * The denial of calls beyond `maxPending`. It applies under every policy: otherwise a flood would admit itself. All
 * such calls share it, and only read it.
 */
const OVERLOAD_DENIAL: Report = uncounted(false);
OVERLOAD_DENIAL.degraded = OVERLOADED.reason;
OVERLOAD_DENIAL.lost = OVERLOADED;

/** The entries of all calls, for their whole limits. What is not counted is idle. */
function describe(counted: Report, calls: readonly CallWithout[]): Report {
  if (calls.every(({ space }) => typeof space.fallback === "object")) return describeWhole(counted, calls);
  const report = new Report();
  report.admitted = counted.admitted;
  report.overflow = counted.overflow;
  let [call, from] = [0, 0];
  for (const [i, { space, costs }] of calls.entries()) {
    if (typeof space.fallback === "string") for (const _ of costs) report.addIdleEntry();
    else {
      report.addEntries(counted, from, from + costs.length);
      report.resetsOf[i] = counted.resetsOf[call] ?? counted.resets;
      from += costs.length;
      call += 1;
    }
  }
  return describeWhole(report, calls);
}

function describeWhole(report: Report, calls: readonly CallWithout[]): Report {
  let at = 0;
  for (const { space, costs } of calls) {
    if (typeof space.fallback === "object") space.fallback.describeWhole(costs, report, at);
    at += costs.length;
  }
  return report;
}
