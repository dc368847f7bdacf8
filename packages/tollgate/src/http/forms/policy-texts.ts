import type { Clock } from "../../core/clock.ts";
import type { Limit } from "../../core/limits/limit.ts";

/** A limiter that was asked, as far as policies tell of it. */
interface Policed {
  readonly decision: { readonly limits: readonly Limit[] };
  readonly partition: string | undefined;
}

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

  /** The policies of all limiters that were asked, as one header value. Equal policies are told once. */
  of(all: readonly Policed[], clock: Clock): string {
    const [{ decision, partition }] = all as readonly [Policed];
    if (all.length > 1 || partition !== undefined) return this.#joined(all, clock);
    if (decision.limits !== this.#last || this.#varies) {
      this.#lastJoined = this.#joined(all, clock);
      this.#last = decision.limits;
      this.#varies = decision.limits.some((limit) => "timeZone" in limit);
    }
    return this.#lastJoined;
  }

  #joined(all: readonly Policed[], clock: Clock): string {
    const nowMs = clock.now();
    const texts = all.flatMap(({ decision, partition }) => {
      const enforced = decision.limits.filter(({ mode }) => mode === "enforce");
      const policies = enforced.flatMap((limit) => this.#policyOf(limit, nowMs) ?? []);
      return partition === undefined ? policies : policies.map((policy) => this.#partitioned(policy, partition));
    });
    return [...new Set(texts)].join(", ");
  }
}
