import type { Decision } from "../../core/decision.ts";
import type { DecisionObservation } from "../../core/observer.ts";
import type { Meter } from "../../limiter/taps.ts";
import type { KeyLabels } from "./key-labels.ts";
import type { MetricDescription, MetricValue } from "./scraped-metric.ts";

export const ACQUIRED: MetricDescription = {
  name: "rate_limit_acquire_total",
  help: "Calls of rate limiters, by the limit that binds and the result.",
  type: "counter",
};

type AcquireResult = "allow" | "deny" | "blocked" | "degraded" | "shadow_deny";

interface Series {
  readonly limit: string;
  readonly result: AcquireResult;
  readonly key: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  value: number;
}

/** The series of a limit and a key label, by result. */
type Results = Map<AcquireResult, Series>;

/** The series of the quickest calls. */
interface QuickSeries {
  readonly allowed: Series;
  readonly denied: Series;
}

/** Counts each call of a limiter. */
export class AcquireCounter implements Meter {
  readonly #limiter: string;
  /** The name of the limiter's only limit, if it has one. */
  readonly #onlyLimit: string;
  readonly #labels: KeyLabels | undefined;
  readonly #series: Series[] = [];
  /** By key label and limit, looked up one by one: gluing them together would take longer than a decision. */
  readonly #results = new Map<string | undefined, Map<string, Results>>();
  /** Most calls are like the one before. */
  #last: Series | undefined;
  readonly #quick: QuickSeries | undefined;
  readonly #quickOf = new Map<string, QuickSeries>();

  constructor(limiter: string, onlyLimit: string, labels: KeyLabels | undefined) {
    this.#limiter = limiter;
    this.#onlyLimit = onlyLimit;
    this.#labels = labels;
    this.#quick = labels === undefined ? this.#quickSeries(undefined) : undefined;
  }

  noteQuick(key: string, allowed: boolean): void {
    const quick = this.#quick ?? this.#quickSeriesOf(key);
    const series = allowed ? quick.allowed : quick.denied;
    series.value += 1;
  }

  note({ keys, decision }: DecisionObservation): void {
    const key = this.#labels?.of(keys.length === 1 ? keys[0]! : JSON.stringify(keys));
    this.#seriesOf(decision.limit?.name ?? "", resultOf(decision), key).value += 1;
    if (decision.shadowDenied === undefined) return;
    for (const { name } of decision.shadowDenied) this.#seriesOf(name, "shadow_deny", key).value += 1;
  }

  values(): MetricValue[] {
    return this.#series.filter(({ value }) => value > 0).map(({ labels, value }) => ({ labels, value }));
  }

  #quickSeriesOf(key: string): QuickSeries {
    const label = this.#labels?.of(key) ?? "";
    const known = this.#quickOf.get(label);
    if (known !== undefined) return known;
    const made = this.#quickSeries(label);
    this.#quickOf.set(label, made);
    return made;
  }

  #quickSeries(key: string | undefined): QuickSeries {
    return {
      allowed: this.#seriesOf(this.#onlyLimit, "allow", key),
      denied: this.#seriesOf(this.#onlyLimit, "deny", key),
    };
  }

  #seriesOf(limit: string, result: AcquireResult, key: string | undefined): Series {
    const last = this.#last;
    if (last?.limit === limit && last.result === result && last.key === key) return last;
    const series = this.#results.get(key)?.get(limit)?.get(result) ?? this.#makeSeries(limit, result, key);
    this.#last = series;
    return series;
  }

  #makeSeries(limit: string, result: AcquireResult, key: string | undefined): Series {
    const labels = { limiter: this.#limiter, limit, result };
    const made: Series = { limit, result, key, labels: key === undefined ? labels : { ...labels, key }, value: 0 };
    const byLimit = this.#results.get(key) ?? new Map<string, Results>();
    const byResult = byLimit.get(limit) ?? new Map<AcquireResult, Series>();
    this.#results.set(key, byLimit.set(limit, byResult.set(result, made)));
    this.#series.push(made);
    return made;
  }
}

function resultOf(decision: Decision): AcquireResult {
  if (decision.degraded !== undefined) return "degraded";
  if (decision.allowed) return "allow";
  return decision.reason === "blocked" ? "blocked" : "deny";
}
