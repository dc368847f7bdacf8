import type { Limit } from "../../core/limits/limit.ts";

/** A cache of the texts that describe a limiter's policies. */
export class PolicyTexts {
  /** By the list of limits: fixed limits are the same list in each response. */
  readonly #joined = new WeakMap<readonly Limit[], string>();
  readonly #policyOf: (limit: Limit) => string | undefined;
  readonly #partitioned: (policy: string, partition: string) => string;
  /** The list of the last response. A limiter with fixed limits has no other. */
  #last: readonly Limit[] | undefined;
  #lastJoined = "";

  /**
   * `policyOf` returns `undefined` for a limit that the form cannot tell. `partitioned` adds the partition to a
   * policy's text. By default policies do not tell it.
   */
  constructor(
    policyOf: (limit: Limit) => string | undefined,
    partitioned: (policy: string, partition: string) => string = (policy) => policy,
  ) {
    this.#policyOf = policyOf;
    this.#partitioned = partitioned;
  }

  /** The policies as one header value. */
  joined(limits: readonly Limit[], partition: string | undefined): string {
    if (partition !== undefined) return this.each(limits, partition).join(", ");
    if (limits !== this.#last) {
      this.#lastJoined = this.#find(limits);
      this.#last = limits;
    }
    return this.#lastJoined;
  }

  #find(limits: readonly Limit[]): string {
    const known = this.#joined.get(limits);
    if (known !== undefined) return known;
    const joined = this.each(limits, undefined).join(", ");
    this.#joined.set(limits, joined);
    return joined;
  }

  /** The policies one by one. Limits with equal names and numbers have equal texts, which appear once. */
  each(limits: readonly Limit[], partition: string | undefined): readonly string[] {
    const enforced = limits.filter(({ mode }) => mode === "enforce");
    const policies = [...new Set(enforced.flatMap((limit) => this.#policyOf(limit) ?? []))];
    return partition === undefined ? policies : policies.map((policy) => this.#partitioned(policy, partition));
  }
}
