import { readUs } from "../../core/clock.ts";
import type { LeaseStatus } from "../../core/lease-status.ts";
import type { Report } from "../../core/report.ts";
import type { AsyncSpace, Call } from "../../core/store.ts";
import { ownCopy } from "../../core/text-memory.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import { VERBS, type Verb } from "../../core/verbs.ts";
import { answerWithout, type DecideWithout, type Waiter } from "../redis/batch/waiter.ts";
import { costsOf, type RedisSpace } from "../redis/redis-space.ts";
import type { StoreOnServer } from "../redis/redis-store.ts";
import { closedError } from "../redis/translate-error.ts";
import { OVERLOADED } from "../remote/unavailable-error.ts";
import { DecidingSpace, LONGEST_KEY } from "./deciding-space.ts";
import type { KnownKeys } from "./leases/known-keys.ts";
import type { AskServer, LeaseNode } from "./leases/lease-node.ts";
import { type LeaseTimes, leaseTimesOf, obstaclesOf } from "./leases/lease-times.ts";
import { LeasedKey } from "./leases/leased-key.ts";
import { WaitingTake } from "./leases/waiting-take.ts";

const ADMITTED = Promise.resolve(true);
const DENIED = Promise.resolve(false);

export interface HybridSpaceParts {
  readonly store: StoreOnServer;
  readonly redis: RedisSpace;
  readonly node: LeaseNode;
  readonly known: KnownKeys;
  /** Whether the clocks of limiters decide, in place of the server's. */
  readonly byLimitersClock: boolean;
  /** The most calls that may wait for one key. */
  readonly mostWaiting: number;
  readonly released: (space: HybridSpace) => void;
}

/** One plan's keys: the leases of this node, in front of the counts on the server. */
export class HybridSpace extends DecidingSpace {
  readonly #parts: HybridSpaceParts;
  /** `undefined` if each call asks the server. */
  readonly #times: LeaseTimes | undefined;
  #keys = new Map<string, LeasedKey>();

  constructor(parts: HybridSpaceParts) {
    super(parts.redis);
    this.#parts = parts;
    this.#times = leaseTimesOf(this.plan);
  }

  allow(key: string, costs: readonly number[], nowUs: number): Promise<boolean> {
    if (this.#parts.node.requests.isClosing) throw closedError();
    const known = this.#keyOf(key);
    if (known?.spend(costs) === true) return ADMITTED;
    const way = known?.uncovered(costs);
    if (way === "denied") return DENIED;
    if (known === undefined || way === "strict") {
      this.#parts.node.stats.asks += 1;
      return this.redis.allow(key, costs, nowUs);
    }
    return this.#join(known, key, costs, nowUs).then(({ admitted }) => admitted);
  }

  /** Decides by what this node knows; `undefined` if the server has to be asked. */
  allowLocal(key: string, cost: number): boolean | undefined {
    const known = this.#keys.get(key);
    if (known === undefined) return undefined;
    const costs = costsOf(this.plan, cost);
    if (known.spend(costs)) return true;
    return known.isDenied(costs) ? false : undefined;
  }

  /** Takes as `consume` does; `undefined` if the server has to be asked for this call alone. */
  take(key: string, costs: readonly number[], now: TimeCell): Promise<Report> | undefined {
    const known = this.#keyOf(key);
    if (known === undefined) return undefined;
    if (known.spend(costs)) return Promise.resolve(known.spentReport(costs));
    const way = known.uncovered(costs);
    if (way === "denied") return Promise.resolve(known.reports.denied(costs));
    if (way === "strict") return undefined;
    return this.#join(known, key, costs, now[0]!);
  }

  /** Takes a charge from the leases of this node; `undefined` if they do not cover it. */
  override charge(key: string, costs: readonly number[]): Report | undefined {
    const known = this.#keys.get(key);
    return known?.spend(costs) === true ? known.spentReport(costs) : undefined;
  }

  override settle(key: string, verb: Verb): void {
    if (VERBS[verb].refunds) this.#keys.get(key)?.report();
  }

  /** The server's report, less what this node holds of the key. */
  override restated(key: string, costs: readonly number[], report: Report): Report {
    const known = this.#keys.get(key);
    return known === undefined || !report.hasEntries ? report : known.reports.restated(costs, report);
  }

  override leasesOf(key: string): readonly LeaseStatus[] {
    if (this.#times === undefined) return obstaclesOf(this.plan).map((why) => ({ how: "strict", why }));
    const why = key.length > LONGEST_KEY ? "long key" : "little demand";
    return this.#keys.get(key)?.statuses ?? this.plan.limits.map(() => ({ how: "strict", why }));
  }

  /** After a refund, denials are forgotten until the units have come back. */
  asked({ key }: Pick<Call<AsyncSpace>, "key">, verb: Verb, _now: TimeCell, work: Promise<Report>): void {
    const known = this.#keys.get(key);
    if (known === undefined || !VERBS[verb].refunds) return;
    const forget = () => known.forgetDenials();
    forget();
    work.then(forget, forget);
  }

  giveBack(key: string): void {
    this.#keys.get(key)?.giveBack();
  }

  giveBackAll(): void {
    for (const known of this.#keys.values()) known.giveBack();
  }

  /** Denials of calls that came meanwhile may be older than what the server forgot. */
  override clear(): Promise<void> {
    return super.clear().finally(() => {
      for (const known of this.#keys.values()) known.forgetDenials();
    });
  }

  protected forget(key: string): void {
    this.#keys.get(key)?.forget();
  }

  protected forgetAll(): void {
    for (const known of this.#keys.values()) known.forget();
    this.#keys = new Map();
  }

  protected released(): void {
    this.forgetAll();
    this.#parts.released(this);
  }

  #join(known: LeasedKey, key: string, costs: readonly number[], nowUs: number): Promise<Report> {
    const { store, mostWaiting } = this.#parts;
    const without: DecideWithout = (error) => store.decideWithout(error, "take", [this.redis.call(key, costs)], nowUs);
    return new Promise((resolve) => {
      const waiter: Waiter = { wantsReport: true, resolve, without };
      if (known.waiting < mostWaiting) known.join(new WaitingTake(known.reports, costs, nowUs, waiter));
      else answerWithout(waiter, OVERLOADED);
    });
  }

  #keyOf(key: string): LeasedKey | undefined {
    const known = this.#keys.get(key);
    if (known !== undefined || this.#times === undefined || key.length > LONGEST_KEY) return known;
    const { node, known: allKnown, store, byLimitersClock } = this.#parts;
    const askServer: AskServer = (costs, nowUs, ask, waiter) => {
      const us = nowUs ?? (byLimitersClock ? readUs(this.redis.clock) : 0);
      store.lease(this.redis.call(key, costs), us, ask, waiter);
    };
    // A sliced string would keep its parent alive.
    const own = ownCopy(key);
    const made: LeasedKey = new LeasedKey(this.plan, this.#times, node, askServer, () => {
      made.giveBack();
      this.#keys.delete(own);
      allKnown.delete(made);
    });
    this.#keys.set(own, made);
    allKnown.add(made);
    return made;
  }
}
