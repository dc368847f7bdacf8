import type { Decision, LimitStatus } from "tollgate";
import type { BlockedOutcome } from "../reference/blocks.ts";
import type { NamedLimit } from "../reference/changing-model.ts";
import type { Wait } from "../reference/limit-state.ts";
import type { ModelReport } from "../reference/model.ts";
import { capacityOf } from "../reference/model-limit.ts";

/** Moments up to this one are exact in a float64. Waits that end later are compared to twelve digits. */
const EXACT_US = 2n ** 53n;

/** A limit that a call was counted against. */
export interface Counted {
  readonly limit: NamedLimit;
  readonly limiter: string;
  readonly key: string | undefined;
}

/** Every difference between a decision and the outcome of the model, in words. */
export function decisionDifferences(
  decision: Decision,
  outcome: BlockedOutcome,
  nowUs: bigint,
  limits: readonly Counted[],
): string[] {
  const found = new Differences(nowUs);
  found.compare("allowed", decision.allowed, outcome.allowed);
  found.compare("reason", decision.allowed ? undefined : decision.reason, outcome.reason);
  found.compare("reason of the block", decision.block?.reason, outcome.block?.reason);
  found.compare("end of the block", inUs(decision.block?.endsInMs), toNumber(outcome.block?.endsInUs));
  const isBlocked = outcome.block !== undefined;
  if (!(decision.allowed || outcome.allowed)) {
    if (isBlocked && outcome.retryAfterUs !== "never")
      found.compare("retryAfterMs", inUs(decision.retryAfterMs), Number(outcome.retryAfterUs));
    else found.compareTime("retryAfterMs", decision.retryAfterMs, outcome.retryAfterUs);
  }
  const { ofLimits } = outcome;
  if (ofLimits === undefined) return found.list;
  const binding = ofLimits.binding === undefined ? undefined : limits[ofLimits.binding];
  found.compare("limit", decision.limit && textOf(decision.limit), binding && textOfCounted(binding));
  if (binding !== undefined) found.compare("limiter", decision.limiter, binding.limiter);
  found.compare("limits", decision.limits.map(textOf).join(), limits.map(textOfCounted).join());
  const remaining = ofLimits.remaining === "unlimited" ? Number.POSITIVE_INFINITY : Number(ofLimits.remaining);
  found.compare("remaining", decision.remaining, remaining);
  found.compare("used", decision.used, toNumber(ofLimits.used));
  found.compareTime("resetMs", decision.resetMs, ofLimits.resetUs);
  const shadows = ofLimits.shadowDenied.map((place) => textOfCounted(limits[place]!));
  found.compare("shadowDenied", (decision.shadowDenied ?? []).map(textOf).join(), shadows.join());
  if (decision.allowed || ofLimits.allowed) return found.list;
  if (ofLimits.retryAfterUs === "never" || nowUs + ofLimits.retryAfterUs < EXACT_US) {
    found.compare("usedAfterRetry", decision.usedAfterRetry, Number(ofLimits.usedAfterRetry));
  }
  return found.list;
}

function textOf({ name, fingerprint, mode }: Decision["limits"][number]): string {
  return `${name} ${fingerprint} ${mode}`;
}

function textOfCounted({ limit: { name, numbers, limit } }: Counted): string {
  return `${name} ${numbers} ${limit.mode}`;
}

function inUs(ms: number | undefined): number | undefined {
  return ms === undefined ? ms : Math.round(ms * 1_000);
}

function toNumber(us: bigint | undefined): number | undefined {
  return us === undefined ? us : Number(us);
}

export function reportDifferences(
  reports: readonly LimitStatus[],
  expected: readonly ModelReport[],
  nowUs: bigint,
  limits: readonly Counted[],
): string[] {
  const found = new Differences(nowUs);
  found.compare("reports", reports.length, expected.length);
  for (const [i, report] of reports.entries()) {
    const model = expected[i];
    const counted = limits[i];
    if (model === undefined || counted === undefined) break;
    const { limit, limiter, key } = counted;
    found.compare(`${i}.limiter`, report.limiter, limiter);
    found.compare(`${i}.key`, report.key, key);
    found.compare(`${i}.name`, report.name, limit.name);
    found.compare(`${i}.unit`, report.unit, limit.limit.unit);
    found.compare(`${i}.mode`, report.mode, limit.limit.mode);
    found.compare(`${i}.capacity`, report.capacity, Number(capacityOf(limit.limit)));
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
