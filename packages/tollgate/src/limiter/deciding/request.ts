import { type Clock, readInto } from "../../core/clock.ts";
import type { Cost } from "../../core/cost.ts";
import { Report } from "../../core/report.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import type { Verb } from "../../core/verbs.ts";
import type { PlaceUse } from "../choosing/place-costs.ts";
import { NO_ROUTE, type Route } from "../choosing/route.ts";
import type { Selected } from "../choosing/selected.ts";
import type { Space, SpaceCall } from "../choosing/space.ts";
import type { ObservedVerb } from "../watching/decided-call.ts";
import { NO_WATCHES, type PlacedWatch } from "../watching/watch.ts";

/** A call whose memory another call reuses. */
interface ReusedCall extends SpaceCall {
  space: Space;
  key: string;
  costs: number[];
}

const NO_CALLS: readonly ReusedCall[] = [];
const NO_COSTS: number[] = [];

/**
 * A checked call: its keys, where each is counted, and the cost under each limit. A limiter over a store of this
 * process reuses one. It takes the request out of its place meanwhile, because clocks, key functions and observers may
 * call again.
 */
export class Request {
  route: Route = NO_ROUTE;
  /** One for each owner of the route. */
  keys: readonly string[] = [];
  deniedBy: string | undefined = undefined;
  /** The watches of combinations and domains through which the call came. */
  watches: readonly PlacedWatch[] = NO_WATCHES;
  verb: Verb = "take";
  /** What observers call the verb. */
  observedAs: ObservedVerb = undefined;
  /** When the call began, if it is to be timed. */
  begunMs: number | undefined = undefined;
  /** The cost as it was given, for observers. */
  cost: Cost = 0;
  /** One for each limit of the route. */
  readonly costs: number[] = [0];
  /** One for each space of the route. */
  calls: readonly ReusedCall[] = NO_CALLS;
  /** When the call is decided. */
  readonly now: TimeCell = createTimeCell();
  /** The time at which a batch is decided; otherwise the clock tells. */
  atUs: number | undefined = undefined;
  #report: Report | undefined = undefined;

  /** What a store of this process says. A store elsewhere makes reports of its own: many requests may be in flight. */
  get report(): Report {
    this.#report ??= new Report();
    return this.#report;
  }

  /** Chooses keys and costs for a call. @throws TollgateError `ERR_COST`; the request is as good as unused then. */
  set(selected: Selected, cost: Cost, places: PlaceUse = "taken"): this {
    selected.refresh();
    this.#choose(selected, cost);
    selected.route.readCosts(cost, this.costs, places);
    this.#setCalls(selected.route);
    return this;
  }

  /** Works like `set`, for costs that are known: one for each limit. */
  setCounts(selected: Selected, cost: Cost, costs: readonly number[]): this {
    this.#choose(selected, cost);
    for (let i = 0; i < costs.length; i += 1) this.costs[i] = costs[i]!;
    if (this.costs.length > costs.length) this.costs.length = costs.length;
    this.#setCalls(selected.route);
    return this;
  }

  #choose({ keys, deniedBy, watches, begunMs }: Selected, cost: Cost): void {
    this.keys = keys;
    this.deniedBy = deniedBy;
    this.watches = watches;
    this.begunMs = begunMs;
    this.cost = cost;
  }

  /** Lists are made with their items: one that grows has room for 16 more, and a flood has many calls in flight. */
  #setCalls(route: Route): void {
    const { spaces, keyIndexes } = route;
    this.route = route;
    if (this.calls.length !== spaces.length) this.calls = spaces.map((space) => ({ space, key: "", costs: NO_COSTS }));
    let at = 0;
    for (let i = 0; i < spaces.length; i += 1) {
      const space = spaces[i]!;
      const count = space.plan.limits.length;
      const call = this.calls[i]!;
      call.space = space;
      call.key = this.keys[keyIndexes[i]!]!;
      if (call.costs.length === count)
        for (let limit = 0; limit < count; limit += 1) call.costs[limit] = this.costs[at + limit]!;
      else call.costs = spaces.length === 1 ? this.costs : this.costs.slice(at, at + count);
      at += count;
    }
  }

  /** Reads the time of the decision. */
  readTime(clock: Clock): void {
    if (this.atUs === undefined) readInto(clock, this.now);
    else this.now[0] = this.atUs;
  }

  /** Whether the call takes something: one that costs nothing may overtake calls that wait. */
  get costsSomething(): boolean {
    return this.calls.some(({ costs }) => costs.some((cost) => cost > 0));
  }
}
