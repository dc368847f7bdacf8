import { readInto } from "../../core/clock.ts";
import type { Decision } from "../../core/decision.ts";
import { encodeKey, type Key } from "../../core/key.ts";
import { rejected } from "../../core/maybe-async.ts";
import type { Report } from "../../core/report.ts";
import type { AsyncSpace, AsyncStore } from "../../core/store.ts";
import { createTimeCell } from "../../core/time-cell.ts";
import type { Route } from "../choosing/route.ts";
import type { FixedSelection } from "../choosing/selection.ts";
import { type PlainTaker, receiptOfTake } from "../reserving/receipt.ts";
import { allowed, decisionOf, untilOf } from "./decision-of.ts";
import type { Maker } from "./quick-way.ts";

/**
 * The short way of `allow` and `consume` to a store elsewhere, for the calls for which `QuickWay` is the short way in
 * this process. A flood has many calls in flight, so each keeps little. Errors reject.
 */
export class MessageWay<Input> implements PlainTaker {
  readonly maker: Maker;
  readonly route: Route;
  readonly #key: (input: Input) => Key;
  readonly #space: AsyncSpace;
  readonly #store: AsyncStore;
  /** The costs under each limit of the last call's cost, which nearly all calls share. */
  #costs: readonly number[] = [];
  #cost = Number.NaN;

  constructor({ key, space, route }: FixedSelection<Input>, maker: Maker, store: AsyncStore) {
    this.maker = maker;
    this.route = route;
    this.#key = key;
    this.#space = space as AsyncSpace;
    this.#store = store;
  }

  allow(input: Input, cost: number): Promise<boolean> {
    if (this.#space.allow === undefined) return this.consume(input, cost).then(({ allowed: isAllowed }) => isAllowed);
    try {
      const key = encodeKey(this.#key(input));
      if (cost !== this.#cost) this.#readCosts(cost);
      const { clock, now } = this.maker;
      readInto(clock, now);
      return this.#space.allow(key, this.#costs, now[0]!);
    } catch (error) {
      return rejected(error);
    }
  }

  consume(input: Input, cost: number): Promise<Decision> {
    try {
      const key = encodeKey(this.#key(input));
      if (cost !== this.#cost) this.#readCosts(cost);
      const { route, maker } = this;
      const costs = this.#costs;
      readInto(maker.clock, maker.now);
      const nowUs = maker.now[0]!;
      const read = (report: Report): Decision => {
        if (!(report.admitted && route.enforcesAll && report.hasEntriesAlone))
          return this.#decide(report, key, costs, nowUs);
        const untilUs = untilOf(report, costs.length, nowUs);
        return allowed(maker.name, route, route.limits, report, this, key, cost, untilUs) as Decision;
      };
      const space = this.#space;
      if (space.consume !== undefined) return space.consume(key, costs, nowUs, read);
      // A store may report at once, or read the time later.
      const asked = this.#store.transact("take", [{ space, key, costs }], createTimeCell(nowUs));
      return Promise.resolve(asked).then(read);
    } catch (error) {
      return rejected(error);
    }
  }

  /** The decision about a call that was denied, or whose report says more than the entries of its limits. */
  #decide(report: Report, key: string, costs: readonly number[], nowUs: number): Decision {
    const { route, maker } = this;
    const request = { route, keys: [key], costs, now: createTimeCell(nowUs), verb: "take" } as const;
    return decisionOf(maker.name, route, report, receiptOfTake(maker, request, report));
  }

  /** @throws TollgateError `ERR_COST`. */
  #readCosts(cost: number): void {
    const costs: number[] = [];
    this.route.readCosts(cost, costs);
    this.#costs = costs;
    this.#cost = cost;
  }
}
