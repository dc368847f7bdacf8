import type { Decision, LimitStatus } from "tollgate";
import type { Wait } from "../reference/limit-state.ts";
import type { ModelReport } from "../reference/model.ts";
import type { Outcome } from "../reference/outcome.ts";
import type { Pair } from "./world.ts";

/** Moments up to this one are exact in a float64. Waits that end later are compared to twelve digits. */
const EXACT_US = 2n ** 53n;

/** Every difference between a decision and the outcome of the model, in words. */
export function decisionDifferences(
  decision: Decision,
  outcome: Outcome,
  nowUs: bigint,
  pairs: readonly Pair[],
): string[] {
  const limits = pairs.flatMap((pair) => pair.limits.map((limit) => ({ limit, limiter: pair.name })));
  const found = new Differences(nowUs);
  found.compare("allowed", decision.allowed, outcome.allowed);
  const binding = outcome.binding === undefined ? undefined : limits[outcome.binding];
  if (decision.limit !== binding?.limit) {
    found.note(`limit: got ${decision.limit?.name} of ${decision.limiter}, expected number ${outcome.binding}`);
  }
  if (binding !== undefined) found.compare("limiter", decision.limiter, binding.limiter);
  const remaining = outcome.remaining === "unlimited" ? Number.POSITIVE_INFINITY : Number(outcome.remaining);
  found.compare("remaining", decision.remaining, remaining);
  found.compare("used", decision.used, outcome.used === undefined ? undefined : Number(outcome.used));
  found.compareTime("resetMs", decision.resetMs, outcome.resetUs);
  const shadows = outcome.shadowDenied.map((place) => limits[place]?.limit);
  const got = decision.shadowDenied ?? [];
  if (got.length !== shadows.length || got.some((limit, i) => limit !== shadows[i])) {
    found.note(`shadowDenied: got [${got.map((limit) => limit.name)}], expected numbers [${outcome.shadowDenied}]`);
  }
  if (decision.allowed || outcome.allowed) return found.list;
  found.compare("reason", decision.reason, outcome.reason);
  found.compareTime("retryAfterMs", decision.retryAfterMs, outcome.retryAfterUs);
  if (outcome.retryAfterUs === "never" || nowUs + outcome.retryAfterUs < EXACT_US) {
    found.compare("usedAfterRetry", decision.usedAfterRetry, Number(outcome.usedAfterRetry));
  }
  return found.list;
}

export function reportDifferences(
  reports: readonly LimitStatus[],
  expected: readonly ModelReport[],
  nowUs: bigint,
  pairs: readonly Pair[],
  keys: readonly string[],
): string[] {
  const places = pairs.flatMap((pair, i) => pair.limits.map((limit) => ({ limit, pair, key: keys[i] })));
  const found = new Differences(nowUs);
  found.compare("reports", reports.length, expected.length);
  for (const [i, report] of reports.entries()) {
    const model = expected[i];
    const place = places[i];
    if (model === undefined || place === undefined) break;
    const { limit, pair, key } = place;
    found.compare(`${i}.limiter`, report.limiter, pair.name);
    found.compare(`${i}.key`, report.key, key);
    found.compare(`${i}.name`, report.name, limit.name);
    found.compare(`${i}.unit`, report.unit, limit.unit);
    found.compare(`${i}.mode`, report.mode, limit.mode);
    found.compare(`${i}.capacity`, report.capacity, limit.capacity);
    found.compare(`${i}.allowed`, report.allowed, model.allowed);
    found.compare(`${i}.used`, report.used, Number(model.used));
    found.compare(`${i}.remaining`, report.remaining, Number(model.remaining));
    found.compareTime(`${i}.retryAfterMs`, report.retryAfterMs, model.retryAfterUs);
    found.compareTime(`${i}.resetMs`, report.resetMs, model.resetUs);
  }
  return found.list;
}

class Differences {
  readonly list: string[] = [];
  readonly #nowUs: bigint;

  constructor(nowUs: bigint) {
    this.#nowUs = nowUs;
  }

  note(difference: string): void {
    this.list.push(difference);
  }

  compare(what: string, got: unknown, expected: unknown): void {
    if (!Object.is(got, expected)) this.note(`${what}: got ${String(got)}, expected ${String(expected)}`);
  }

  compareTime(what: string, gotMs: number, expected: Wait): void {
    const expectedMs = expected === "never" ? Number.POSITIVE_INFINITY : Number(expected) / 1_000;
    const isFar = expected !== "never" && this.#nowUs + expected >= EXACT_US;
    if (isFar && Math.abs(gotMs - expectedMs) <= expectedMs * 1e-12) return;
    this.compare(what, gotMs, expectedMs);
  }
}
