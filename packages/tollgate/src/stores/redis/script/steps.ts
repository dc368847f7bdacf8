import type { ScriptTransaction } from "./encode-call.ts";

/**
 * How much work a transaction is for the server, in steps: what it takes to decide one call for one bucket. Where all transactions of a
 * call take from plans of exact buckets, they are decided with less.
 */
export function stepsOf({ times, detail, keys }: ScriptTransaction): number {
  let limits = 0;
  for (const { plan } of keys) limits += plan.plan.limits.length;
  return limits * (detail === "each" ? times : 1);
}
