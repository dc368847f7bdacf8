import type { Limit } from "../../core/limits/limit.ts";

/** The texts that describe a limiter's policies. */
export class PolicyTexts {
  readonly #policyOf: (limit: Limit, nowMs: number) => string | undefined;
  readonly #partitioned: (policy: string, partition: string) => string;
  /** A cache: a limiter with fixed limits has the same list in each response. */
  #last: readonly Limit[] | undefined;
  #lastJoined = "";
  /** Whether the policies of the list have other lengths at other times, as months have. */
  #varies = false;

  /**
   * `policyOf` returns `undefined` for a limit that the form cannot tell. `partitioned` adds the partition to a
   * policy's text. By default policies do not tell it.
   */
  constructor(
    policyOf: (limit: Limit, nowMs: number) => string | undefined,
    partitioned: (policy: string, partition: string) => string = (policy) => policy,
  ) {
    this.#policyOf = policyOf;
    this.#partitioned = partitioned;
  }

  /** The policies as one header value. */
  joined(limits: readonly Limit[], nowMs: number, partition: string | undefined): string {
    if (partition !== undefined) return this.each(limits, nowMs, partition).join(", ");
    if (limits !== this.#last || this.#varies) {
      this.#lastJoined = this.each(limits, nowMs, undefined).join(", ");
      this.#last = limits;
      this.#varies = limits.some((limit) => "timeZone" in limit);
    }
    return this.#lastJoined;
  }

  /** The policies one by one. Limits with equal names and numbers have equal texts, which appear once. */
  each(limits: readonly Limit[], nowMs: number, partition: string | undefined): readonly string[] {
    const enforced = limits.filter(({ mode }) => mode === "enforce");
    const policies = [...new Set(enforced.flatMap((limit) => this.#policyOf(limit, nowMs) ?? []))];
    return partition === undefined ? policies : policies.map((policy) => this.#partitioned(policy, partition));
  }
}
