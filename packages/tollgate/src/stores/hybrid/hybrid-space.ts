import type { LeaseStatus } from "../../core/lease-status.ts";
import type { Maybe } from "../../core/maybe-async.ts";
import type { Report } from "../../core/report.ts";
import type { AsyncSpace, Call } from "../../core/store.ts";
import { ownCopy } from "../../core/text-memory.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import { VERBS, type Verb } from "../../core/verbs.ts";
import { costsOf, type RedisSpace } from "../redis/redis-space.ts";
import { closedError } from "../redis/translate-error.ts";
import { DecidingSpace, LONGEST_KEY } from "./deciding-space.ts";
import type { LeaseNode } from "./leases/lease-node.ts";
import { type LeaseTimes, leaseTimesOf, obstaclesOf } from "./leases/lease-times.ts";
import { LeasedKey } from "./leases/leased-key.ts";
import type { NodeTime } from "./leases/node-time.ts";

const ADMITTED = Promise.resolve(true);
const DENIED = Promise.resolve(false);

/** One plan's keys: the leases of this node, in front of the counts on the server. */
export class HybridSpace extends DecidingSpace {
  readonly #node: LeaseNode;
  readonly #time: NodeTime;
  /** `undefined` if each call asks the server. */
  readonly #times: LeaseTimes | undefined;
  #keys = new Map<string, LeasedKey>();

  constructor(redis: RedisSpace, node: LeaseNode, time: NodeTime) {
    super(redis, node);
    this.#node = node;
    this.#time = time;
    this.#times = leaseTimesOf(this.plan);
  }

  allow(key: string, costs: readonly number[], nowUs: number): Promise<boolean> {
    const { state } = this;
    if (state.isClosing) throw closedError();
    const known = state.isBypassed ? undefined : this.#keyOf(key);
    if (known?.spend(costs) === true) return ADMITTED;
    const way = known?.uncovered(costs);
    if (way === "denied") return DENIED;
    if (known !== undefined && way === "ask") return known.join(costs, nowUs).then(isAdmitted);
    state.stats.asks += 1;
    return this.redis.allow(key, costs, nowUs);
  }

  /** Decides by what this node knows; `undefined` if the server has to be asked. */
  allowLocal(key: string, cost: number): boolean | undefined {
    const known = this.#keys.get(key);
    if (known === undefined) return undefined;
    const costs = costsOf(this.plan, cost);
    if (known.spend(costs)) return true;
    return known.isDenied(costs) ? false : undefined;
  }

  protected take(key: string, costs: readonly number[], nowUs: number): Maybe<Report> | undefined {
    const known = this.#keyOf(key);
    if (known === undefined) return undefined;
    if (known.spend(costs)) return known.spentReport(costs);
    const way = known.uncovered(costs);
    if (way === "denied") return known.reports.denied(costs);
    return way === "ask" ? known.join(costs, nowUs) : undefined;
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
  }

  #keyOf(key: string): LeasedKey | undefined {
    const known = this.#keys.get(key);
    if (known !== undefined || this.#times === undefined || key.length > LONGEST_KEY) return known;
    const node = this.#node;
    // A sliced string would keep its parent alive.
    const own = ownCopy(key);
    const made: LeasedKey = new LeasedKey(this.redis, own, this.#times, node, this.#time, () => {
      made.giveBack();
      this.#keys.delete(own);
      node.known.delete(made);
    });
    this.#keys.set(own, made);
    node.known.add(made);
    return made;
  }
}

function isAdmitted({ admitted }: Report): boolean {
  return admitted;
}
