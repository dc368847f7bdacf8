import type { Denied } from "../../core/decision.ts";
import { TollgateError } from "../../core/errors.ts";

/**
 * Rejects a call that was to wait for its turn, and was denied: its wait could not end in time, its cost can never
 * pass, or too many wait. It has the decision.
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
