import type { Limit } from "../../core/limits/limit.ts";

/** A cache of the texts that describe a limiter's policies. */
export class PolicyTexts {
  /** By the list of limits: fixed limits are the same list in each response. */
  readonly #joined = new WeakMap<readonly Limit[], string>();
  readonly #policyOf: (limit: Limit) => string;
  /** The list of the last response. A limiter with fixed limits has no other. */
  #last: readonly Limit[] | undefined;
  #lastJoined = "";

  constructor(policyOf: (limit: Limit) => string) {
    this.#policyOf = policyOf;
  }

  /** The policies as one header value. */
  joined(limits: readonly Limit[]): string {
    if (limits !== this.#last) {
      this.#lastJoined = this.#find(limits);
      this.#last = limits;
    }
    return this.#lastJoined;
  }

  #find(limits: readonly Limit[]): string {
    const known = this.#joined.get(limits);
    if (known !== undefined) return known;
    const joined = this.each(limits).join(", ");
    this.#joined.set(limits, joined);
    return joined;
  }

  /** The policies one by one. Limits with equal names and numbers have equal texts, which appear once. */
  each(limits: readonly Limit[]): readonly string[] {
    return [...new Set(limits.filter(({ mode }) => mode === "enforce").map(this.#policyOf))];
  }
}
