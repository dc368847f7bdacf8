import type { Decision } from "../../core/decision.ts";
import type { Limit } from "../../core/limits/limit.ts";
import { ADMITTED, ADMITTED_OF_LAST, DENIED, type LookedOutcome } from "../../core/store-readings.ts";
import { PARTS_OF_LIMIT } from "../../limiter/taps.ts";
import type { CountedSeries } from "./counted-series.ts";
import type { KeyLabels } from "./key-labels.ts";
import { ACQUIRED, NEAR } from "./metrics.ts";

type AcquireResult = "allow" | "deny" | "blocked" | "degraded" | "shadow_deny";

interface Series {
  readonly limiter: string;
  readonly limit: string;
  readonly result: AcquireResult;
  readonly key: string | undefined;
  readonly cells: Float64Array;
}

/** The limiter of a limit. */
type LimiterOf = (limit: string) => string;

/** The series of a limit and a key label, by result. */
type Results = Map<AcquireResult, Series>;

/** The series of the quickest calls. */
interface QuickSeries {
  readonly allowed: Series;
  readonly denied: Series;
}

/** Counts each call of a limiter, and those that leave little of a limit. */
export class AcquireCounts {
  readonly #limiter: string;
  /** The limiter's only limit, if it has one, which enforces. */
  readonly #onlyLimit: Limit | undefined;
  readonly #labels: KeyLabels | undefined;
  readonly #counted: CountedSeries;
  /** Set if the limits are those of several limiters, whose names the series have. */
  readonly #limiterOf: LimiterOf | undefined;
  /** By limiter, key label and limit, looked up one by one: gluing them together would take longer than a decision. */
  readonly #results = new Map<string, Map<string | undefined, Map<string, Results>>>();
  /** Most calls are like the one before. */
  #last: Series | undefined;
  readonly #quickOf = new Map<string, QuickSeries>();
  /** The number of the quickest calls that are admitted, if there are no key labels. */
  readonly #admitted: Float64Array | undefined;
  readonly #near = new Map<string, Float64Array>();
  readonly #quickNear: Float64Array;

  constructor(
    limiter: string,
    onlyLimit: Limit | undefined,
    labels: KeyLabels | undefined,
    counted: CountedSeries,
    limiterOf: LimiterOf | undefined,
  ) {
    this.#limiter = limiter;
    this.#limiterOf = limiterOf;
    this.#onlyLimit = onlyLimit;
    this.#labels = labels;
    this.#counted = counted;
    this.#admitted = labels === undefined ? this.#quickSeriesOf("").allowed.cells : undefined;
    this.#quickNear = this.#nearOf(onlyLimit?.name ?? "");
  }

  noteQuick(key: string, outcome: LookedOutcome): void {
    const admitted = this.#admitted;
    if (outcome === ADMITTED && admitted !== undefined) admitted[0]! += 1;
    else this.#noteQuickly(key, outcome);
  }

  note(keys: string | readonly string[], decision: Decision): void {
    const admitted = this.#admitted;
    const { limit, limitRemaining = 0 } = decision;
    const isUsual = admitted !== undefined && decision.allowed && limit !== undefined && limit === this.#onlyLimit;
    if (isUsual && decision.degraded === undefined && PARTS_OF_LIMIT * limitRemaining >= limit.capacity)
      admitted[0]! += 1;
    else this.#noteAny(keys, decision);
  }

  #noteQuickly(key: string, outcome: LookedOutcome): void {
    const quick = this.#quickSeriesOf(key);
    const { cells } = outcome === DENIED ? quick.denied : quick.allowed;
    cells[0]! += 1;
    if (outcome === ADMITTED_OF_LAST) this.#quickNear[0]! += 1;
  }

  #noteAny(keys: string | readonly string[], decision: Decision): void {
    const key = this.#labels?.of(textOf(keys));
    const { allowed, limit, shadowDenied, limitRemaining = 0 } = decision;
    const limiter = this.#limiterOf === undefined ? this.#limiter : decision.limiter;
    this.#seriesOf(limiter, limit?.name ?? "", resultOf(decision), key).cells[0]! += 1;
    if (allowed && limit !== undefined && PARTS_OF_LIMIT * limitRemaining < limit.capacity)
      this.#nearOf(limit.name)[0]! += 1;
    if (shadowDenied === undefined) return;
    for (const { name } of shadowDenied)
      this.#seriesOf(this.#limiterOf?.(name) ?? limiter, name, "shadow_deny", key).cells[0]! += 1;
  }

  #nearOf(limit: string): Float64Array {
    const known = this.#near.get(limit);
    if (known !== undefined) return known;
    const made = this.#counted.number(NEAR, { limiter: this.#limiterOf?.(limit) ?? this.#limiter, limit });
    this.#near.set(limit, made);
    return made;
  }

  #quickSeriesOf(key: string): QuickSeries {
    const label = this.#labels?.of(key);
    const known = this.#quickOf.get(label ?? "");
    if (known !== undefined) return known;
    const limit = this.#onlyLimit?.name ?? "";
    const limiter = this.#limiter;
    const made = {
      allowed: this.#seriesOf(limiter, limit, "allow", label),
      denied: this.#seriesOf(limiter, limit, "deny", label),
    };
    this.#quickOf.set(label ?? "", made);
    return made;
  }

  #seriesOf(limiter: string, limit: string, result: AcquireResult, key: string | undefined): Series {
    const last = this.#last;
    if (last?.limit === limit && last.result === result && last.key === key && last.limiter === limiter) return last;
    const known = this.#results.get(limiter)?.get(key)?.get(limit)?.get(result);
    const series = known ?? this.#makeSeries(limiter, limit, result, key);
    this.#last = series;
    return series;
  }

  #makeSeries(limiter: string, limit: string, result: AcquireResult, key: string | undefined): Series {
    const labels = { limiter, limit, result };
    const cells = this.#counted.number(ACQUIRED, key === undefined ? labels : { ...labels, key });
    const made: Series = { limiter, limit, result, key, cells };
    const byKey = this.#results.get(limiter) ?? new Map<string | undefined, Map<string, Results>>();
    const byLimit = byKey.get(key) ?? new Map<string, Results>();
    const byResult = byLimit.get(limit) ?? new Map<AcquireResult, Series>();
    this.#results.set(limiter, byKey.set(key, byLimit.set(limit, byResult.set(result, made))));
    return made;
  }
}

function textOf(keys: string | readonly string[]): string {
  if (typeof keys === "string") return keys;
  return keys.length === 1 ? keys[0]! : JSON.stringify(keys);
}

function resultOf(decision: Decision): AcquireResult {
  if (decision.degraded !== undefined) return "degraded";
  if (decision.allowed) return "allow";
  return decision.reason === "blocked" ? "blocked" : "deny";
}
