import { type Cost, checkCost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import { show, TollgateError } from "../core/errors.ts";

/**
 * Checks a batch. Costs per unit are checked later, by the limits' units.
 *
 * @throws TollgateError `ERR_OPTION` unless `inputs` is a list and `out` has room for each decision, or `ERR_COST`.
 */
export function checkBatch(inputs: unknown, out: unknown, cost: Cost): void {
  if (!Array.isArray(inputs)) {
    throw new TollgateError("ERR_OPTION", `allowMany: expected a list of inputs, got ${show(inputs)}`);
  }
  if (out instanceof Uint8Array && out.length >= inputs.length) {
    if (typeof cost === "number") checkCost(cost);
    return;
  }
  const got = out instanceof Uint8Array ? `one of ${out.length}` : show(out);
  throw new TollgateError("ERR_OPTION", `allowMany: expected a Uint8Array of at least ${inputs.length}, got ${got}`);
}

/** @throws TollgateError `ERR_OPTION` for a value that is no decision, such as the result of `allow`, or a promise. */
export function checkDecision(decision: Decision | undefined): void {
  if (decision === undefined) return;
  if (typeof decision === "object" && decision !== null && "allowed" in decision) return;
  throw new TollgateError("ERR_OPTION", `decision: expected the decision that took the units, got ${show(decision)}`);
}
