import type { Cost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import { mapMaybeAsync } from "../core/maybe-async.ts";
import type { Plan } from "../core/plan.ts";
import { Report } from "../core/report.ts";
import type { SyncSpace } from "../core/store.ts";
import type { AsyncStoreLimiter } from "./async-store-limiter.ts";
import { type CheckedRequest, choiceFor, requestWith } from "./call.ts";
import { Choice } from "./choice.ts";
import { decide, denyByLimits } from "./decide.ts";
import { limitsOf } from "./entries.ts";
import { withoutPlaces } from "./places.ts";
import type { PlannedSpace, SpaceList } from "./space-list.ts";
import type { SyncStoreLimiter } from "./sync-store-limiter.ts";

/** A limiter that has keys: no combination, and no limiter that chooses others. */
export type JointLimiter = SyncStoreLimiter<never> | AsyncStoreLimiter<never>;

/** A key of a joint call, once, and what all parts that count it cost. */
export interface JointMember {
  readonly limiter: JointLimiter;
  readonly input: never;
  readonly costs: readonly Cost[];
}

/** The decision about several requests, all or nothing. */
export interface JointDecision {
  readonly decision: Decision;
  /** What each request would get alone, in their order. With a denial, those that are allowed took nothing either. */
  readonly parts: readonly Decision[];
}

/**
 * Takes the costs of several requests at one instant, from all or from none. `joined` combines the limiters of the
 * members, and each part has the indexes of its members.
 *
 * @throws TollgateError as `consume`.
 */
export function consumeJointly(
  joined: JointLimiter,
  members: readonly JointMember[],
  parts: readonly (readonly number[])[],
): JointDecision | Promise<JointDecision> {
  const limiter = joined as SyncStoreLimiter<never>;
  const choices = members.map(({ limiter: own, input }) => choiceFor((own as typeof limiter).selection, input));
  const decided: Decision | Promise<[Decision, Report, Request]> | [Decision, Report, Request] = limiter.consumeRequest<
    [Decision, Report, Request]
  >(
    () => requestOfAll(limiter, members, choices),
    members.length === 1 ? (members[0]!.costs[0] ?? 1) : 1,
    (decision, report, request) => [decision, report, request],
  );
  return mapMaybeAsync(decided, ([decision, report, request]) => ({
    decision: { ...decision, limits: [...new Set(decision.limits)] },
    parts: parts.map((indexes) => {
      const [deniedBy] = indexes.flatMap((index) => choices[index]!.deniedBy ?? []);
      if (deniedBy !== undefined) return denyByLimits(deniedBy);
      return partOf(limiter.name, new Set(indexes), decision, report, request);
    }),
  }));
}

/** The decision about a request that no limiter counts. */
export function uncounted(name: string): Decision {
  return decide(name, [], [], new Report());
}

type Space = SyncSpace & PlannedSpace;
type Request = CheckedRequest<Space>;

function requestOfAll(
  { selection }: SyncStoreLimiter<never>,
  members: readonly JointMember[],
  choices: readonly Choice<Space>[],
): Request {
  selection.maintain();
  const choice = new Choice<Space>();
  for (const { keys, chosen, deniedBy } of choices) choice.add(keys[0]!, chosen[0]!, deniedBy);
  const costs = members.flatMap((member, i) => sumOf(choices[i]!.chosen[0]!.list(), member.costs));
  return withoutPlaces("consume", requestWith(selection.listOf(choice), choice, costs));
}

/** The costs of each limit of a list, for several requests in all. */
function sumOf(list: SpaceList<Space>, costs: readonly Cost[]): number[] {
  const sums: number[] = list.limits.map(() => 0);
  const own: number[] = [];
  for (const cost of costs) {
    list.readCosts(cost, own);
    for (let i = 0; i < sums.length; i += 1) sums[i] = Math.min(sums[i]! + own[i]!, Number.MAX_SAFE_INTEGER);
  }
  return sums;
}

/** The decision about some calls of a request. */
function partOf(
  name: string,
  indexes: ReadonlySet<number>,
  whole: Decision,
  report: Report,
  { calls, members, deniedBy }: Request,
): Decision {
  const own: Plan[] = [];
  const part = new Report();
  let at = 0;
  for (const [i, { space }] of calls.entries()) {
    const { length } = space.plan.limits;
    if (indexes.has(members[i]!)) {
      own.push(space.plan);
      if (report.hasEntries) part.addEntries(report, at, at + length);
    }
    at += length;
  }
  if (own.length === 0 || deniedBy !== undefined) return uncounted(name);
  if (!report.hasEntries) return whole;
  const { block } = report;
  part.degraded = report.degraded;
  part.overflow = report.overflow;
  part.line = report.line;
  part.block = own.some(({ limiter }) => limiter === block?.limiter) ? block : undefined;
  const limits = limitsOf(own, part);
  const conforms = limits.every(({ mode }, entry) => mode !== "enforce" || part.conforms[entry] !== false);
  part.admitted = report.admitted || (conforms && part.block?.denied !== true && part.line === undefined);
  return decide(name, own, limits, part);
}
