import type { Block, Decision, Denied } from "../../core/decision.ts";
import { show, TollgateError } from "../../core/errors.ts";
import type { Limit } from "../../core/limits/limit.ts";
import { type PlainTaker, Receipt, receiptOfPlain } from "../reserving/receipt.ts";

/** Global, so that the copies of the library for `import` and for `require` read each other's decisions. */
const RECEIPT: unique symbol = Symbol.for("tollgate.receipt") as never;

/** A decision. A class, so that what it took is apart from the properties that users see, print, compare and copy. */
export class Decided {
  readonly allowed: boolean;
  limiter: string;
  readonly limit: Limit | undefined;
  readonly limits: readonly Limit[];
  remaining: number | undefined;
  limitRemaining: number | undefined;
  readonly used: number | undefined;
  retryAfterMs: number;
  readonly resetMs: number;
  // Denials have these.
  declare reason?: Denied["reason"];
  declare violated?: readonly Limit[];
  declare usedAfterRetry?: number;
  // Only decisions about which they say something have these.
  declare block?: Block;
  declare shadowDenied?: readonly Limit[];
  declare degraded?: string;
  declare overflowed?: true;
  // biome-ignore lint/style/useReadonlyClassProperties: `#receiptOf` replaces it.
  #took: Receipt | PlainTaker | undefined;
  // A plain take is noted in fields, and its receipt is made when it is first read: another object takes 10 % longer.
  readonly #key: string | undefined;
  readonly #cost: number | undefined;
  /** When the units leave: one number for one limit. */
  readonly #untilUs: number | readonly number[] | undefined;
  readonly #resets: number | undefined;

  /** `key` and what follows it belong to a plain take. */
  constructor(
    allowed: boolean,
    limiter: string,
    limit: Limit | undefined,
    limits: readonly Limit[],
    remaining: number | undefined,
    limitRemaining: number | undefined,
    used: number | undefined,
    retryAfterMs: number,
    resetMs: number,
    took?: Receipt | PlainTaker,
    key?: string,
    cost?: number,
    untilUs?: number | readonly number[],
    resets?: number,
  ) {
    this.allowed = allowed;
    this.limiter = limiter;
    this.limit = limit;
    this.limits = limits;
    this.remaining = remaining;
    this.limitRemaining = limitRemaining;
    this.used = used;
    this.retryAfterMs = retryAfterMs;
    this.resetMs = resetMs;
    this.#took = took;
    this.#key = key;
    this.#cost = cost;
    this.#untilUs = untilUs;
    this.#resets = resets;
  }

  /** Static, because private methods brand every instance. */
  static #receiptOf(decision: Decided): Receipt | undefined {
    const took = decision.#took;
    if (took === undefined || took instanceof Receipt) return took;
    const untilUs = decision.#untilUs ?? 0;
    const receipt = receiptOfPlain(took, decision.#key ?? "", decision.#cost ?? 0, untilUs, decision.#resets);
    decision.#took = receipt;
    return receipt;
  }

  static {
    Object.defineProperty(Decided.prototype, RECEIPT, {
      get(this: Decided): Receipt | undefined {
        // An object that was made from a decision inherits this.
        if (!(#took in this)) throw copyError();
        return Decided.#receiptOf(this);
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
    if ("allowed" in decision) throw copyError();
  }
  throw new TollgateError("ERR_OPTION", `decision: expected the decision that took the units, got ${show(decision)}`);
}

function copyError(): TollgateError {
  return new TollgateError(
    "ERR_OPTION",
    "decision: expected the decision itself, which knows what it took, got a copy of one",
  );
}
