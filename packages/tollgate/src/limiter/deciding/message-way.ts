import { isPromise } from "../../core/checks.ts";
import { readInto } from "../../core/clock.ts";
import type { Decision } from "../../core/decision.ts";
import type { Maybe } from "../../core/maybe-async.ts";
import type { Report } from "../../core/report.ts";
import type { AsyncSpace, AsyncStore } from "../../core/store.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import type { FixedSelection } from "../choosing/selection.ts";
import { receiptOfTake } from "../reserving/receipt.ts";
import { decisionOf } from "./decision-of.ts";
import type { Maker } from "./quick-way.ts";

/**
 * The short way of `allow` and `consume` to a store elsewhere, for the calls for which `QuickWay` is the short way in
 * this process. A flood has many calls in flight, so each keeps little.
 */
export class MessageWay<Input> {
  readonly fixed: FixedSelection<Input>;
  readonly #maker: Maker;
  readonly #store: AsyncStore;

  constructor(fixed: FixedSelection<Input>, maker: Maker, store: AsyncStore) {
    this.fixed = fixed;
    this.#maker = maker;
    this.#store = store;
  }

  /** @throws TollgateError `ERR_COST`. */
  allow(key: string, cost: number): Maybe<boolean> {
    const { route, space } = this.fixed;
    if (space.allow === undefined) return this.#ask(key, cost, ({ admitted }) => admitted);
    route.checkPlain(cost);
    return space.allow(key, cost, this.#now());
  }

  /** @throws TollgateError `ERR_COST`. */
  consume(key: string, cost: number): Maybe<Decision> {
    const { route } = this.fixed;
    const maker = this.#maker;
    return this.#ask(key, cost, (report, costs, now) => {
      const receipt = receiptOfTake(maker, { route, keys: [key], costs, now, verb: "take" }, report);
      return decisionOf(maker.name, route, report, receipt);
    });
  }

  #ask<T>(key: string, cost: number, read: (report: Report, costs: readonly number[], now: TimeCell) => T): Maybe<T> {
    const { route, space } = this.fixed;
    const costs: number[] = [];
    route.readCosts(cost, costs);
    const now = this.#now();
    const report = this.#store.transact("take", [{ space: space as AsyncSpace, key, costs }], now);
    return isPromise(report) ? report.then((known) => read(known, costs, now)) : read(report, costs, now);
  }

  /** Each call has a time of its own: it waits for the store. */
  #now(): TimeCell {
    const now = createTimeCell();
    readInto(this.#maker.clock, now);
    return now;
  }
}
