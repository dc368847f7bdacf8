import type { Decision } from "../core/decision.ts";
import { show, TollgateError } from "../core/errors.ts";

/** @throws TollgateError `ERR_OPTION` for what is no decision, such as the answer of `allow`, or a promise of one. */
export function checkDecision(decision: Decision | undefined): void {
  if (decision === undefined) return;
  if (typeof decision === "object" && decision !== null && "allowed" in decision) return;
  throw new TollgateError("ERR_OPTION", `decision: expected the decision that took the units, got ${show(decision)}`);
}
