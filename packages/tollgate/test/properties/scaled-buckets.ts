import { type ExactBucket, ExactBucketRules } from "../reference/exact-bucket.ts";
import { tokenBucketSpec } from "./limit-arbitrary.ts";
import type { TokenBucketSpec } from "./limit-spec.ts";
import { type NamedProperty, namedProperty } from "./named-property.ts";
import { runScenario, type Witness } from "./run-scenario.ts";
import type { Scenario } from "./scenario.ts";
import { scenario } from "./scenario-arbitrary.ts";
import { isExact, ticksPerUnit } from "./tick-room.ts";

const limits = tokenBucketSpec
  .map((spec) => ({ ...spec, unit: "requests", mode: "enforce", initial: "full", idleTtlUs: undefined }) as const)
  .filter((spec) => !isExact(spec));

/** A debt of more than three capacities may meet its ceiling, which rational arithmetic does not have. */
const MOST_CAPACITIES = 3n;

/**
 * Keeps exact buckets that take the same units as the library's. The library may never grant later than they do, and
 * never a whole tick earlier.
 */
function exactWitness(spec: TokenBucketSpec): Witness {
  const capacity = BigInt(spec.capacity);
  const rules = new ExactBucketRules({
    ...spec,
    capacity,
    refill: BigInt(spec.refill),
    perUs: BigInt(spec.perUs),
    idleTtlUs: 0n,
  });
  const unit = ticksPerUnit(spec);
  const buckets = new Map<string, ExactBucket>();
  const deepInDebt = new Set<string>();
  return ({ verb, keys: [key = ""], modelCalls: [modelCall], now }, outcome) => {
    const cost = typeof modelCall?.cost === "bigint" ? modelCall.cost : (modelCall?.cost["requests"] ?? 0n);
    const bucket = buckets.get(key) ?? rules.fresh(0n);
    if (verb === "charge" && bucket.used(now) > MOST_CAPACITIES * capacity) deepInDebt.add(key);
    if (deepInDebt.has(key)) return;
    if (outcome !== undefined) {
      const due = bucket.conforms(now, cost);
      if (due && !outcome.allowed) throw new Error("granted late");
      if (outcome.allowed && !bucket.conformsWithinATick(now, cost, unit)) throw new Error("granted a tick early");
    }
    if (outcome?.allowed === false && verb !== "charge" && outcome.retryAfterUs !== "never") {
      const exactUs = bucket.waitUs(now, cost);
      if (exactUs === "never" || outcome.retryAfterUs > exactUs) throw new Error(`late: ${exactUs} µs is enough`);
      const isNear = bucket.conformsWithinATick(now + outcome.retryAfterUs, cost, unit);
      if (!isNear) throw new Error(`retry is a tick early: ${exactUs} µs`);
    }
    if (verb === "refund") buckets.set(key, bucket.refund(now, cost));
    if (verb === "charge" || (verb === "consume" && outcome?.allowed === true)) {
      buckets.set(key, bucket.take(now, cost));
    }
  };
}

function neverLateHardlyEarly(one: Scenario): void {
  const spec = one.limiters[0]?.[0];
  if (spec?.kind !== "token-bucket") throw new Error("expected a token bucket");
  runScenario(one, { witness: () => exactWitness(spec) });
}

export const SCALED_BUCKETS: readonly NamedProperty[] = [
  namedProperty(
    "token buckets with inexact ticks are never late, and early by less than a tick",
    3,
    scenario({
      limits,
      mostLimits: 1,
      mostLimiters: 1,
      mostSteps: 30,
      costs: "modest",
      verbs: ["consume", "consume", "consume", "consume", "peek", "charge", "refund"],
    }),
    neverLateHardlyEarly,
  ),
];
