import type { Cost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import { TollgateError } from "../core/errors.ts";
import { countsPlaces } from "../core/limits/concurrency-limit.ts";
import type { Limit } from "../core/limits/limit.ts";
import type { CheckedRequest } from "./call.ts";
import { checkDecision } from "./check-arguments.ts";
import { checkKeepsPlaces } from "./place-costs.ts";
import type { PlannedSpace } from "./space-list.ts";

/** @throws TollgateError `ERR_LIMITS`: nothing would free the places that a verb without reservation takes. */
export function refusePlaces(verb: string, limits: readonly Limit[]): never {
  const name = limits.find(countsPlaces)?.name;
  throw new TollgateError(
    "ERR_LIMITS",
    `${verb}: expected limits whose units come back with time, got "${name}", which counts calls in flight: ` +
      "use reserve, whose settle and cancel say when a call is over",
  );
}

/** @throws TollgateError `ERR_LIMITS` if a limit of a request counts places. */
export function withoutPlaces<Request extends CheckedRequest<PlannedSpace>>(verb: string, request: Request): Request {
  for (const { space } of request.calls) if (space.plan.takesPlaces) refusePlaces(verb, space.plan.limits);
  return request;
}

/** The request of a correction, which leaves places as they are. @throws TollgateError `ERR_COST` or `ERR_OPTION`. */
export function keepingPlaces<Space extends PlannedSpace>(
  request: CheckedRequest<Space>,
  cost: Cost,
  decision: Decision | undefined,
): CheckedRequest<Space> {
  checkDecision(decision);
  if (!request.calls.some(({ space }) => space.plan.takesPlaces)) return request;
  checkKeepsPlaces(cost);
  const calls = request.calls.map((call) => {
    const { limits } = call.space.plan;
    return { ...call, costs: call.costs.map((count, i) => (countsPlaces(limits[i]!) ? 0 : count)) };
  });
  return { ...request, calls };
}

/** When the store decided, in microseconds: what identifies the places that a decision took. */
const DECIDED_US = new WeakMap<Decision, number>();

/** Notes the moment of a decision that may have taken places. */
export function noteDecided(decision: Decision, us: number): void {
  DECIDED_US.set(decision, us);
}

/** The moment that was noted. */
export function decidedUsOf(decision: Decision): number | undefined {
  return DECIDED_US.get(decision);
}
