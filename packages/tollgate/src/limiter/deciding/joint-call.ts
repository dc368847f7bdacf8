import type { Cost } from "../../core/cost.ts";
import type { Decision } from "../../core/decision.ts";
import type { Maybe } from "../../core/maybe-async.ts";
import { Report } from "../../core/report.ts";
import { refusePlaces } from "../choosing/place-costs.ts";
import { NO_ROUTE, type Route } from "../choosing/route.ts";
import { Selected } from "../choosing/selected.ts";
import type { Selection } from "../choosing/selection.ts";
import type { StoreLimiter } from "../store-limiter.ts";
import { decisionOf, denyByLimits } from "./decision-of.ts";
import { readDecision } from "./read.ts";
import { Request } from "./request.ts";

/** A key of a joint call, once, and what all parts that count it cost. */
export interface JointMember<Input> {
  readonly selection: Selection<Input>;
  readonly input: Input;
  readonly costs: readonly Cost[];
}

/** The decision about several requests, all or nothing. */
export interface JointDecision {
  readonly decision: Decision;
  /** What each request would get alone, in their order. With a denial, those that are allowed took nothing either. */
  readonly parts: readonly Decision[];
}

/**
 * Takes the costs of several requests at one instant, from all or from none. `limiter` is the domain in which they are
 * decided; each part has the indexes of its members, whose limiters have keys.
 *
 * @throws TollgateError as `consume`.
 */
export function consumeJointly<Input>(
  limiter: StoreLimiter<never>,
  members: readonly JointMember<Input>[],
  parts: readonly (readonly number[])[],
): Maybe<JointDecision> {
  const chosen = members.map(({ selection, input }) => {
    const own = new Selected();
    void selection.select(input, own);
    return own.finish(limiter.joiner);
  });
  const selected = new Selected();
  for (const own of chosen) selected.addAll(own);
  selected.finish(limiter.joiner);
  if (selected.route.takesPlaces) refusePlaces("consume", selected.route.limits);
  const costs = members.flatMap((member, i) => sumOf(chosen[i]!.route, member.costs));
  const request = new Request().setCounts(selected, members.length === 1 ? (members[0]!.costs[0] ?? 1) : 1, costs);
  return limiter.decideRequest("consume", "take", request, (maker, _request, report, call) => {
    const decision = readDecision(maker, request, report, call);
    return {
      decision: { ...decision, limits: [...new Set(decision.limits)] },
      parts: parts.map((indexes) => {
        const deniedBy = indexes.map((index) => chosen[index]!.deniedBy).find((name) => name !== undefined);
        if (deniedBy !== undefined) return denyByLimits(deniedBy);
        return partOf(limiter.name, new Set(indexes), decision, report, request);
      }),
    };
  });
}

/** The decision about a request that no limiter counts. */
export function uncounted(name: string): Decision {
  return decisionOf(name, NO_ROUTE, new Report(), undefined);
}

/** The costs of each limit of a route, for several requests in all. */
function sumOf(route: Route, costs: readonly Cost[]): number[] {
  const sums: number[] = route.limits.map(() => 0);
  const own: number[] = [];
  for (const cost of costs) {
    route.readCosts(cost, own);
    for (let i = 0; i < sums.length; i += 1) sums[i] = Math.min(sums[i]! + own[i]!, Number.MAX_SAFE_INTEGER);
  }
  return sums;
}

/** The decision about some keys of a request. */
function partOf(
  name: string,
  indexes: ReadonlySet<number>,
  whole: Decision,
  report: Report,
  { route, deniedBy }: Request,
): Decision {
  const own = route.spaces.filter((_, i) => indexes.has(route.keyIndexes[i]!));
  if (own.length === 0 || deniedBy !== undefined) return uncounted(name);
  if (!report.hasEntries) return whole;
  const part = new Report();
  let at = 0;
  for (const [i, { plan }] of route.spaces.entries()) {
    if (indexes.has(route.keyIndexes[i]!)) part.addEntries(report, at, at + plan.limits.length);
    at += plan.limits.length;
  }
  const ownRoute = route.partOf(indexes);
  const { block } = report;
  part.degraded = report.degraded;
  part.overflow = report.overflow;
  part.line = report.line;
  const blockedKey =
    block === undefined ? -1 : ownRoute.owners.findIndex(({ name: limiter }) => limiter === block.limiter);
  part.block = block === undefined || blockedKey < 0 ? undefined : { ...block, keyIndex: blockedKey };
  const conforms = ownRoute.limits.every(({ mode }, entry) => mode !== "enforce" || part.conforms[entry] !== false);
  part.admitted = report.admitted || (conforms && part.block?.denied !== true && part.line === undefined);
  return decisionOf(name, ownRoute, part, undefined);
}
