import type { Allowed, Block, Decision, Denied } from "../../core/decision.ts";
import { show, TollgateError } from "../../core/errors.ts";
import type { Limit } from "../../core/limits/limit.ts";
import type { Receipt } from "../reserving/receipt.ts";

/** Global, so that the copies of the library for `import` and for `require` read each other's decisions. */
const RECEIPT: unique symbol = Symbol.for("tollgate.receipt") as never;

/** A call that may go on. */
export class AllowedDecision implements Allowed {
  readonly allowed = true;
  readonly limiter: string;
  readonly limit: Limit | undefined;
  readonly limits: readonly Limit[];
  readonly remaining: number | undefined;
  readonly limitRemaining: number | undefined;
  retryAfterMs: number;
  readonly resetMs: number;
  declare block?: Block;
  declare shadowDenied?: readonly Limit[];
  declare degraded?: string;
  declare overflowed?: true;
  /** Apart from the properties that users see, print and compare. */
  readonly #receipt: Receipt | undefined;

  constructor(
    receipt: Receipt | undefined,
    limiter: string,
    limit: Limit | undefined,
    limits: readonly Limit[],
    remaining: number | undefined,
    limitRemaining: number | undefined,
    retryAfterMs: number,
    resetMs: number,
  ) {
    this.limiter = limiter;
    this.limit = limit;
    this.limits = limits;
    this.remaining = remaining;
    this.limitRemaining = limitRemaining;
    this.retryAfterMs = retryAfterMs;
    this.resetMs = resetMs;
    this.#receipt = receipt;
  }

  static {
    Object.defineProperty(AllowedDecision.prototype, RECEIPT, {
      get(this: AllowedDecision) {
        return this.#receipt;
      },
    });
  }
}

/** What a denial says beside what every decision says. */
export interface DenialParts {
  readonly reason: Denied["reason"];
  readonly limiter: string;
  readonly limit: Limit | undefined;
  readonly limits: readonly Limit[];
  readonly violated: readonly Limit[];
  readonly remaining: number | undefined;
  readonly limitRemaining: number | undefined;
  readonly retryAfterMs: number;
  readonly resetMs: number;
  readonly usedAfterRetry: number;
}

/** A call that may not go on. A `charge` has taken its cost all the same. */
export class DeniedDecision implements Denied {
  readonly allowed = false;
  reason: Denied["reason"];
  limiter: string;
  readonly limit: Limit | undefined;
  readonly limits: readonly Limit[];
  readonly violated: readonly Limit[];
  remaining: number | undefined;
  limitRemaining: number | undefined;
  retryAfterMs: number;
  readonly resetMs: number;
  readonly usedAfterRetry: number;
  declare block?: Block;
  declare shadowDenied?: readonly Limit[];
  declare degraded?: string;
  declare overflowed?: true;
  readonly #receipt: Receipt | undefined;

  constructor(receipt: Receipt | undefined, parts: DenialParts) {
    this.reason = parts.reason;
    this.limiter = parts.limiter;
    this.limit = parts.limit;
    this.limits = parts.limits;
    this.violated = parts.violated;
    this.remaining = parts.remaining;
    this.limitRemaining = parts.limitRemaining;
    this.retryAfterMs = parts.retryAfterMs;
    this.resetMs = parts.resetMs;
    this.usedAfterRetry = parts.usedAfterRetry;
    this.#receipt = receipt;
  }

  static {
    Object.defineProperty(DeniedDecision.prototype, RECEIPT, {
      get(this: DeniedDecision) {
        return this.#receipt;
      },
    });
  }
}

/**
 * What a decision took; `undefined` if it took nothing.
 *
 * @throws TollgateError `ERR_OPTION` for what is no decision, such as the result of `allow`, or a copy of one.
 */
export function receiptOf(decision: Decision): Receipt | undefined {
  if (typeof decision === "object" && decision !== null) {
    if (RECEIPT in decision) return (decision as { readonly [RECEIPT]: Receipt | undefined })[RECEIPT];
    if ("allowed" in decision)
      throw new TollgateError(
        "ERR_OPTION",
        "decision: expected the decision itself, which knows what it took, got a copy of one",
      );
  }
  throw new TollgateError("ERR_OPTION", `decision: expected the decision that took the units, got ${show(decision)}`);
}
