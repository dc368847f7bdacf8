import type { Limit } from "../../core/limits/limit.ts";

/** The texts of a limiter's policies. */
export class PolicyTexts {
  /** The same in each of its responses: of fixed limits the list is one object. */
  readonly #joined = new WeakMap<readonly Limit[], string>();
  readonly #policyOf: (limit: Limit) => string;
  /** Of the last response: a limiter of fixed limits has no others. */
  #last: readonly Limit[] | undefined;
  #lastJoined = "";

  constructor(policyOf: (limit: Limit) => string) {
    this.#policyOf = policyOf;
  }

  /** As one list. */
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

  /** One by one. Limits of one name and the same numbers read alike, and are told once. */
  each(limits: readonly Limit[]): readonly string[] {
    return [...new Set(limits.filter(({ mode }) => mode === "enforce").map(this.#policyOf))];
  }
}
