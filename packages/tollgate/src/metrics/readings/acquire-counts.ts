import type { Decision } from "../../core/decision.ts";
import type { CountedSeries } from "./counted-series.ts";
import type { KeyLabels } from "./key-labels.ts";
import { ACQUIRED, NEAR } from "./metrics.ts";

type AcquireResult = "allow" | "deny" | "blocked" | "degraded" | "shadow_deny";

/** A call is near its limit if it has left less than one part of so many. */
const PARTS_OF_LIMIT = 5;
/** A limiter shows the names of so many limits. The calls under any other are counted together. */
const MOST_LIMITS = 1_000;
const OTHER = "other";

/** The limiter of a limit. */
type LimiterOf = (limit: string) => string;

/** The series of one limit, by result and label of the key. */
interface LimitSeries {
  readonly limiter: string;
  readonly limit: string;
  readonly near: Float64Array;
  readonly results: Map<string | undefined, Map<AcquireResult, Float64Array>>;
}

/** Counts each call of a limiter, and those that leave little of a limit. */
export class AcquireCounts {
  readonly #limiter: string;
  readonly #labels: KeyLabels | undefined;
  readonly #counted: CountedSeries;
  /** Set if the limits are those of several limiters, whose names the series have. */
  readonly #limiterOf: LimiterOf | undefined;
  readonly #limits = new Map<string, LimitSeries>();

  constructor(
    limiter: string,
    labels: KeyLabels | undefined,
    counted: CountedSeries,
    limiterOf: LimiterOf | undefined,
  ) {
    this.#limiter = limiter;
    this.#limiterOf = limiterOf;
    this.#labels = labels;
    this.#counted = counted;
  }

  note(keys: readonly string[], decision: Decision): void {
    const { allowed, limit, shadowDenied, limitRemaining = 0 } = decision;
    const key = this.#labels?.of(keys.length === 1 ? keys[0]! : JSON.stringify(keys));
    const series = limit === undefined ? this.#withoutLimit(decision) : this.#seriesOf(limit.name);
    this.#add(series, key, resultOf(decision));
    if (allowed && limit !== undefined && PARTS_OF_LIMIT * limitRemaining < limit.capacity) series.near[0]! += 1;
    if (shadowDenied === undefined) return;
    for (const { name } of shadowDenied) this.#add(this.#seriesOf(name), key, "shadow_deny");
  }

  #add({ limiter, limit, results }: LimitSeries, key: string | undefined, result: AcquireResult): void {
    const byResult = results.get(key) ?? new Map<AcquireResult, Float64Array>();
    let cells = byResult.get(result);
    if (cells === undefined) {
      const labels = { limiter, limit, result };
      cells = this.#counted.number(ACQUIRED, key === undefined ? labels : { ...labels, key });
      results.set(key, byResult.set(result, cells));
    }
    cells[0]! += 1;
  }

  /** Calls that a limits function or a rule has denied, and calls that no limit counts. */
  #withoutLimit({ allowed, limiter }: Decision): LimitSeries {
    const isOfRule = !allowed && this.#limiterOf !== undefined && limiter !== this.#limiter;
    return isOfRule ? this.#series(limiter, "") : this.#series(this.#limiter, "");
  }

  #seriesOf(name: string): LimitSeries {
    return this.#limits.get(name) ?? this.#series(this.#limiterOf?.(name) ?? this.#limiter, name);
  }

  #series(ofLimiter: string, name: string): LimitSeries {
    // A limit has one limiter. What no limit has decided may have several.
    const id = name === "" ? `${ofLimiter}/` : name;
    const known = this.#limits.get(id);
    if (known !== undefined) return known;
    const isOther = this.#limits.size >= MOST_LIMITS;
    const [limiter, limit] = isOther ? [this.#limiter, OTHER] : [ofLimiter, name];
    const made = this.#limits.get(isOther ? OTHER : id) ?? {
      limiter,
      limit,
      near: this.#counted.number(NEAR, { limiter, limit }),
      results: new Map<string | undefined, Map<AcquireResult, Float64Array>>(),
    };
    this.#limits.set(isOther ? OTHER : id, made);
    return made;
  }
}

function resultOf(decision: Decision): AcquireResult {
  if (decision.degraded !== undefined) return "degraded";
  if (decision.allowed) return "allow";
  return decision.reason === "blocked" ? "blocked" : "deny";
}
