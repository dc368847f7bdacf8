import fc from "fast-check";
import { denseSlidingWindowSpec, slidingWindowSpec } from "./limit-arbitrary.ts";
import type { SlidingWindowSpec } from "./limit-spec.ts";
import { type NamedProperty, namedProperty } from "./named-property.ts";
import { runScenario, type Witness } from "./run-scenario.ts";
import type { Scenario } from "./scenario.ts";
import { scenario } from "./scenario-arbitrary.ts";

interface Entry {
  readonly atUs: bigint;
  units: bigint;
}

/**
 * Keeps a log of every unit admitted and not refunded. No window holds more than the limit. The windows that end with
 * an admission hold the most, so it checks only those.
 */
function logWitness({ limit, windowUs }: SlidingWindowSpec): Witness {
  const logs = new Map<string, Entry[]>();
  return ({ verb, keys: [key = ""], modelCalls: [modelCall], now }, outcome) => {
    const units = typeof modelCall?.cost === "bigint" ? modelCall.cost : (modelCall?.cost["requests"] ?? 0n);
    const log = logs.get(key) ?? [];
    logs.set(key, log);
    if (verb === "refund") refund(log, units);
    if (outcome?.allowed !== true || verb === "peek") return;
    log.push({ atUs: now, units });
    const held = log.reduce((sum, entry) => (entry.atUs > now - BigInt(windowUs) ? sum + entry.units : sum), 0n);
    if (held > BigInt(limit)) throw new Error(`${held} units in the window that ends now`);
  };
}

/** Removes the newest units first. */
function refund(log: readonly Entry[], units: bigint): void {
  let left = units;
  for (const entry of log.toReversed()) {
    const back = entry.units < left ? entry.units : left;
    entry.units -= back;
    left -= back;
  }
}

const limits = fc
  .oneof(denseSlidingWindowSpec, slidingWindowSpec)
  .map((spec) => ({ ...spec, unit: "requests", mode: "enforce" }) as const);

function holds(one: Scenario): void {
  const spec = one.limiters[0]?.[0];
  if (spec?.kind !== "sliding-window") throw new Error("expected a sliding window");
  runScenario(one, { witness: () => logWitness(spec) });
}

export const WINDOW_BOUND: readonly NamedProperty[] = [
  namedProperty(
    "no window of any position holds more than the limit",
    3,
    scenario({
      limits,
      mostLimits: 1,
      mostLimiters: 1,
      clock: "forward",
      verbs: ["consume", "consume", "consume", "allow", "refund"],
    }),
    holds,
  ),
];
