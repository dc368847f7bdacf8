import type { Decision, Denied } from "../core/decision.ts";
import { TollgateError } from "../core/errors.ts";

/**
 * Rejects a call that was to wait for its turn, and was denied: its wait could not end in time, its cost can never
 * pass, or as many wait as may. It has the decision.
 *
 * @example
 * ```ts
 * import { createLimiter, DeniedError, perMinute } from "tollgate";
 *
 * const limiter = createLimiter({ limits: [perMinute(1)] });
 * await limiter.wait("ann");
 * try {
 *   await limiter.wait("ann", 1, { maxWait: "1s" });
 * } catch (error) {
 *   if (!(error instanceof DeniedError)) throw error;
 *   console.log(error.code, error.decision.reason); // ERR_DENIED exhausted
 * }
 * ```
 */
export class DeniedError extends TollgateError {
  readonly decision: Denied;

  constructor(verb: string, decision: Denied) {
    const { reason, limiter, retryAfterMs } = decision;
    super("ERR_DENIED", `${verb}: expected a turn, got a denial by ${limiter}: ${reason}, retry in ${retryAfterMs} ms`);
    this.decision = decision;
  }
}

/** The decision of a turn that has come. @throws DeniedError in place of a denial. */
export async function turnOf(verb: string, ended: Promise<Decision>): Promise<Decision> {
  const decision = await ended;
  if (decision.allowed) return decision;
  throw new DeniedError(verb, decision);
}
