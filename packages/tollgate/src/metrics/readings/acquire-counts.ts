import type { Decision } from "../../core/decision.ts";
import type { Members } from "../../limiter/store-limiter.ts";
import type { DecidedCall } from "../../limiter/watching/decided-call.ts";
import { type CappedLabels, OTHER } from "./capped-labels.ts";
import type { NumberValue } from "./metric.ts";

/** How a call ended. A shadow denial counts in addition. */
type AcquireResult = "allow" | "deny" | "blocked" | "degraded" | "shadow_deny";
type Results = Record<AcquireResult, number>;

/** A call is near its limit if it has left less than one part of so many. */
const PARTS_OF_LIMIT = 5;
/** A limiter shows the names of so many limits. The calls under any other are counted together. */
export const MOST_LIMITS = 1_000;

/** The counts of one limit. */
interface LimitCounts {
  readonly limiter: string;
  readonly limit: string;
  near: number;
  /** By the label of the key, if labels are asked for. */
  readonly results: Map<string | undefined, Results>;
}

/** Counts each call of a limiter, and those that leave little of a limit. */
export class AcquireCounts {
  readonly #limiter: string;
  readonly #labels: CappedLabels | undefined;
  /** Set if the limits are those of several limiters, whose names the series have. */
  readonly #members: Members | undefined;
  readonly #limits = new Map<string, LimitCounts>();

  constructor(limiter: string, labels: CappedLabels | undefined, members: Members | undefined) {
    this.#limiter = limiter;
    this.#labels = labels;
    this.#members = members;
  }

  note(call: DecidedCall): void {
    const { keys } = call;
    const key = this.#labels?.of(keys.length === 1 ? keys[0]! : JSON.stringify(keys));
    if (call.limit === undefined) this.#noteDecision(call.decision, key);
    else this.#noteResult(this.#countsOf(call.limit.name), key, call.allowed ? "allow" : "deny", call);
  }

  #noteDecision(decision: Decision, key: string | undefined): void {
    const { limit, shadowDenied, limitRemaining = 0 } = decision;
    const counts = limit === undefined ? this.#withoutLimit(decision) : this.#countsOf(limit.name);
    this.#noteResult(counts, key, resultOf(decision), { limit, limitRemaining, allowed: decision.allowed });
    if (shadowDenied === undefined) return;
    for (const { name } of shadowDenied) resultsOf(this.#countsOf(name), key).shadow_deny += 1;
  }

  #noteResult(
    counts: LimitCounts,
    key: string | undefined,
    result: AcquireResult,
    { allowed, limit, limitRemaining }: Pick<DecidedCall, "allowed" | "limit" | "limitRemaining">,
  ): void {
    resultsOf(counts, key)[result] += 1;
    if (allowed && limit !== undefined && PARTS_OF_LIMIT * limitRemaining < limit.capacity) counts.near += 1;
  }

  acquired(): NumberValue[] {
    return this.#all.flatMap(({ limiter, limit, results }) =>
      [...results].flatMap(([key, byResult]) =>
        Object.entries(byResult)
          .filter(([, value]) => value > 0)
          .map(([result, value]) => ({ labels: { limiter, limit, result, ...(key !== undefined && { key }) }, value })),
      ),
    );
  }

  near(): NumberValue[] {
    return this.#all
      .filter(({ near }) => near > 0)
      .map(({ limiter, limit, near }) => ({ labels: { limiter, limit }, value: near }));
  }

  get #all(): readonly LimitCounts[] {
    // Rules come and go: their counts would stay for good.
    for (const [id, { limiter }] of this.#limits) {
      if (limiter !== this.#limiter && this.#members?.hasLimiter(limiter) === false) this.#limits.delete(id);
    }
    return [...this.#limits.values()];
  }

  /** Calls that a limits function or a rule has denied, and calls that no limit counts. */
  #withoutLimit({ allowed, limiter }: Decision): LimitCounts {
    const isOfRule = !allowed && this.#members !== undefined && limiter !== this.#limiter;
    return this.#made(isOfRule ? limiter : this.#limiter, "");
  }

  #countsOf(limit: string): LimitCounts {
    return this.#limits.get(limit) ?? this.#made(this.#members?.limiterOf(limit) ?? this.#limiter, limit);
  }

  #made(limiter: string, limit: string): LimitCounts {
    // A limit has one limiter. What no limit has decided may have several.
    const id = limit === "" ? `${limiter}/` : limit;
    const known = this.#limits.get(id);
    if (known !== undefined) return known;
    const isOther = this.#limits.size >= MOST_LIMITS && id !== OTHER;
    if (isOther) return this.#made(this.#limiter, OTHER);
    const counts: LimitCounts = { limiter, limit, near: 0, results: new Map() };
    this.#limits.set(id, counts);
    return counts;
  }
}

function resultsOf({ results }: LimitCounts, key: string | undefined): Results {
  const known = results.get(key);
  if (known !== undefined) return known;
  const made: Results = { allow: 0, deny: 0, blocked: 0, degraded: 0, shadow_deny: 0 };
  results.set(key, made);
  return made;
}

function resultOf(decision: Decision): AcquireResult {
  if (decision.degraded !== undefined) return "degraded";
  if (decision.allowed) return "allow";
  return decision.reason === "blocked" ? "blocked" : "deny";
}
