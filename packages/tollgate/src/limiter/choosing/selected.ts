import type { Cost } from "../../core/cost.ts";
import { ownCopy } from "../../core/text-memory.ts";
import { NO_WATCHES, type PlacedWatch } from "../watching/watch.ts";
import { type Price, pricedCorrection, pricedCost } from "./pricing.ts";
import { NO_ROUTE, type Route, type RouteJoiner } from "./route.ts";

const NO_PRICES: readonly Price[] = [];

/** The keys of a call, and where each is counted. Selections write into it. */
export class Selected {
  /** One for each limiter, encoded, whether or not it has limits for the input. */
  readonly keys: string[];
  /** The way of each key. */
  readonly routes: Route[];
  /** The way of the whole call. */
  route: Route;
  /** The name of the first limiter whose limits function returned `"deny"`. */
  deniedBy: string | undefined = undefined;
  /** The watches of combinations and domains through which the call came. */
  watches: readonly PlacedWatch[] = NO_WATCHES;
  /** What limits files say that the call costs. */
  prices: readonly Price[] = NO_PRICES;
  /** Set if the limits of a key are not known, so that it can only be explained, reset, blocked and unblocked. */
  lacksLimits: ((verb?: "reset") => unknown) | undefined = undefined;
  /** When the call began, if its limiter was asked whether it is to be timed. */
  begunMs: number | undefined = undefined;
  #joiner: RouteJoiner | undefined = undefined;

  constructor(keys: string[] = [], routes: Route[] = [], route: Route = NO_ROUTE) {
    this.keys = keys;
    this.routes = routes;
    this.route = route;
  }

  add(key: string, route: Route, deniedBy: string | undefined): void {
    this.keys.push(key);
    this.routes.push(route);
    this.deniedBy ??= deniedBy;
  }

  /** Adds what was found apart, for later keys. */
  addAll(other: Selected): void {
    const from = this.keys.length;
    for (const [i, key] of other.keys.entries()) this.add(key, other.routes[i]!, undefined);
    this.deniedBy ??= other.deniedBy;
    this.prices = [...this.prices, ...other.prices];
    const moved = other.watches.map(({ watch, ...at }) => ({ watch, from: at.from + from, until: at.until + from }));
    this.watches = [...this.watches, ...moved];
  }

  /** All keys are there. */
  finish(joiner: RouteJoiner): this {
    this.#joiner = joiner;
    // The rules of a domain need not count every unit that its requests cost, so that even one of them is joined.
    const isPlain = this.routes.length === 1 && this.prices.length === 0;
    this.route = isPlain ? this.routes[0]! : joiner.of(this.routes);
    return this;
  }

  /** Opens spaces again that were released since the keys were chosen. */
  refresh(): void {
    let isSame = true;
    for (let i = 0; i < this.routes.length; i += 1) {
      const route = this.routes[i]!;
      if (route.current === undefined) continue;
      const current = route.current();
      if (current === route) continue;
      this.routes[i] = current;
      isSame = false;
    }
    if (!isSame && this.#joiner !== undefined) this.finish(this.#joiner);
  }

  /** A copy to keep, with keys of its own: longer strings that they are part of are not kept. */
  kept(): Selected {
    const own = new Selected(this.keys.map(ownCopy), [...this.routes], this.route);
    own.deniedBy = this.deniedBy;
    own.watches = this.watches;
    own.prices = this.prices;
    own.lacksLimits = this.lacksLimits;
    own.#joiner = this.#joiner;
    return own;
  }

  /** What the call costs, in part given by its caller. @throws TollgateError `ERR_COST`. */
  costOf(given: Cost | undefined): Cost {
    if (this.prices.length === 0) return given === undefined ? 1 : given;
    return pricedCost(this.prices, this.keys.length, given);
  }

  /** A cost of a correction in the units that are counted. @throws TollgateError `ERR_COST`. */
  correctionOf(given: Cost): Cost {
    return this.prices.length === 0 ? given : pricedCorrection(this.prices, this.keys.length, given);
  }
}
