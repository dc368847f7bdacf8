import { createPlan } from "../../../../../src/core/plan.ts";
import type { Limit } from "../../../../../src/index.ts";
import { type EncodedPlan, encodePlan } from "../../../../../src/stores/redis/script/encode-plan.ts";
import type { ScriptTransaction, ScriptVerb } from "../../../../../src/stores/redis/script/transaction.ts";

/** A whole second in July 2026. */
export const NOW_US = 1_784_000_000_000_000;

export function encoded(...limits: readonly Limit[]): EncodedPlan {
  return encodePlan(createPlan("api", "api", limits));
}

/** A transaction, and the moment at which a test has it decided. */
export interface TimedTransaction extends ScriptTransaction {
  readonly nowUs: number;
}

/** A call for one key, with one cost for all limits or one per limit. */
export function call(
  verb: ScriptVerb,
  plan: EncodedPlan,
  name: string,
  cost: number | readonly number[] = 1,
  options: Partial<Omit<TimedTransaction, "verb" | "keys">> = {},
): TimedTransaction {
  const costs = typeof cost === "number" ? plan.plan.limits.map(() => cost) : cost;
  return {
    verb,
    times: 1,
    detail: "each",
    nowUs: NOW_US,
    ...options,
    keys: [{ name, plan, costs }],
  };
}

/** The same calls at another moment. */
export function at(nowUs: number, transactions: readonly ScriptTransaction[]): TimedTransaction[] {
  return transactions.map((transaction) => ({ ...transaction, nowUs }));
}
