import type { Report } from "./report.ts";

/**
 * What a call does to the cells of a key.
 *
 * - `take`: takes the cost from every limit if all enforcing ones conform, else changes nothing. A shadow limit takes
 *   only when it conforms itself.
 * - `peek`: reports what `take` would, and changes nothing.
 * - `explain`: reports the state as it is, with the wait for the cost, and changes nothing.
 * - `charge`: takes the cost from every limit whether or not it conforms.
 * - `refund`: gives the cost back to every limit, never beyond full.
 * - `renew`: begins the time to live of places anew, as far as they are still there: as many under each limit on
 *   concurrency as its cost says.
 */
export type Verb = "take" | "peek" | "explain" | "charge" | "refund" | "renew";

/** What stores have to know of a verb. No other place compares verbs by name. */
export interface VerbTraits {
  /** Whether the cells change. A verb that changes nothing leaves them as they are. */
  readonly changes: boolean;
  /** From which limits the cost is taken: from all if all conform, from all, or from none. */
  readonly takes: "if all conform" | "always" | "never";
  /** Whether the cost is given back. Such a call creates no key. */
  readonly refunds: boolean;
  /** Whether places are kept that were taken before. Such a call creates no key. */
  readonly renews: boolean;
  /** Whether the report has the figures of the state after the call. */
  readonly reports: boolean;
}

/**
 * The verbs, each a row.
 *
 * @example
 * ```ts
 * import { VERBS } from "tollgate/store";
 *
 * const verbs = Object.entries(VERBS);
 * const writing = verbs.filter(([, { changes }]) => changes).map(([verb]) => verb);
 * console.log(writing); // [ 'take', 'charge', 'refund', 'renew' ]
 * ```
 */
export const VERBS: Readonly<Record<Verb, VerbTraits>> = {
  take: { changes: true, takes: "if all conform", refunds: false, renews: false, reports: true },
  peek: { changes: false, takes: "if all conform", refunds: false, renews: false, reports: true },
  explain: { changes: false, takes: "never", refunds: false, renews: false, reports: true },
  charge: { changes: true, takes: "always", refunds: false, renews: false, reports: true },
  refund: { changes: true, takes: "never", refunds: true, renews: false, reports: false },
  renew: { changes: true, takes: "never", refunds: false, renews: true, reports: true },
};

/** Whether a verb takes a cost from a limit: what conforms, unless it takes always. */
export function takesFrom({ takes }: VerbTraits, cost: number, conforms: boolean): boolean {
  return cost > 0 && (takes === "always" || (takes === "if all conform" && conforms));
}

/** Whether a verb that changes cells has changed some. */
export function hasChanged(
  verb: VerbTraits,
  admitted: boolean,
  costs: readonly number[],
  report: Report,
  at: number,
): boolean {
  for (let i = 0; i < costs.length; i += 1) {
    const takes = takesFrom(verb, costs[i]!, admitted && report.conforms[at + i]!);
    if (takes || (verb.refunds && costs[i]! > 0)) return true;
  }
  return false;
}
