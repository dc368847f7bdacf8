import { startsEmpty } from "../../../algorithms/compile-limit.ts";
import { blocksKeys } from "../../../core/plan.ts";
import { Report } from "../../../core/report.ts";
import type { SyncSpace } from "../../../core/store.ts";
import type { TimeCell } from "../../../core/time-cell.ts";
import { VERBS, type Verb } from "../../../core/verbs.ts";
import type { RedisSpace } from "../../redis/redis-space.ts";
import type { StoreOnServer } from "../../redis/redis-store.ts";
import { DecidingSpace, LONGEST_KEY } from "../deciding-space.ts";
import type { LeaseStats } from "../stats.ts";
import type { ThresholdNode } from "./threshold-node.ts";

interface ThresholdSpaceParts {
  readonly store: StoreOnServer;
  readonly redis: RedisSpace;
  readonly node: ThresholdNode;
  readonly stats: LeaseStats;
  /** The part of a capacity below which the server is asked. */
  readonly threshold: number;
  readonly released: (space: ThresholdSpace) => void;
}

/**
 * One plan's keys, counted in this process. The server is asked for calls that find less than a part of a capacity
 * left, after it was charged with what was admitted meanwhile. Each node has a bucket of its own, so a fleet admits
 * more than the limit: see docs/hybrid.md.
 */
export class ThresholdSpace extends DecidingSpace {
  readonly #parts: ThresholdSpaceParts;
  readonly #counts: SyncSpace;
  readonly #isLocal: boolean;

  constructor(parts: ThresholdSpaceParts) {
    super(parts.redis);
    this.#parts = parts;
    const { clock } = parts.redis;
    this.#counts = parts.node.counts.open(this.plan, { clock, isFallback: true });
    const { limits, takesPlaces, onChange } = this.plan;
    // Places are held elsewhere, a limit that blocks wants to know of every denied call, a bucket that starts empty of
    // the first one, and the first numbers of a key are known to the script alone.
    const isApart = takesPlaces || blocksKeys(this.plan) || startsEmpty(this.plan) || onChange === "keep-first";
    this.#isLocal = limits.length > 0 && !isApart;
  }

  take(key: string, costs: readonly number[], now: TimeCell): Promise<Report> | undefined {
    if (!this.#isCountedHere(key)) return undefined;
    const { node, stats } = this.#parts;
    if (node.mayBeBlocked(this.plan.scope, key)) return this.#askFirst(key, costs, now);
    const report = this.#count("take", key, costs, now);
    if (report.overflow !== undefined) return undefined;
    // Limits in shadow mode took only what conformed.
    const taken = costs.map((cost, i) => (report.admitted && report.conforms[i]! ? cost : 0));
    node.lowerDebt(
      this.redis,
      key,
      taken.map((cost, i) => report.used[i]! - cost),
    );
    if (report.admitted && this.#isBelow(report)) return this.#ask(key, costs, now);
    stats.decidedLocally += 1;
    if (report.admitted) node.addDebt(this.redis, key, taken);
    return Promise.resolve(report);
  }

  charge(): undefined {}

  /** What the server is asked for counts here, too. */
  asked(key: string, verb: Verb, costs: readonly number[], now: TimeCell): void {
    if (VERBS[verb].changes && this.#isCountedHere(key)) this.#count(verb, key, costs, now);
  }

  restated(_key: string, _costs: readonly number[], report: Report): Report {
    return report;
  }

  leasesOf(): undefined {}

  settle(key: string): void {
    void this.#parts.node.settle(this.redis, key);
  }

  giveBack(key: string): void {
    this.settle(key);
  }

  giveBackAll(): void {
    void this.#parts.node.settleAll(this.redis);
  }

  /** Keys that were admitted here count. */
  override async size(): Promise<number> {
    await this.#parts.node.settleAll(this.redis);
    return super.size();
  }

  override async sweep(now: TimeCell): Promise<number> {
    await this.#parts.node.settleAll(this.redis);
    return super.sweep(now);
  }

  protected forget(key: string): void {
    this.#counts.drop(key);
    this.#parts.node.forgetDebt(this.redis, key);
  }

  protected forgetAll(): void {
    this.#counts.clear();
    this.#parts.node.forgetDebts(this.redis);
  }

  protected released(): void {
    this.#counts.release();
    this.#parts.released(this);
  }

  #isCountedHere(key: string): boolean {
    return this.#isLocal && key.length <= LONGEST_KEY;
  }

  #count(verb: Verb, key: string, costs: readonly number[], now: TimeCell): Report {
    const report = new Report();
    report.admitted = this.#counts.apply(verb, key, costs, now, report, 0);
    this.#counts.maintain();
    report.resets = undefined;
    return report;
  }

  /** Charges what was admitted here, and lets the server decide about a call that was taken here. */
  async #ask(key: string, costs: readonly number[], now: TimeCell): Promise<Report> {
    const report = await this.#askServer(key, costs, now);
    if (!report.admitted) this.#count("refund", key, costs, now);
    return report;
  }

  /** Lets the server decide about a key that may be blocked. */
  async #askFirst(key: string, costs: readonly number[], now: TimeCell): Promise<Report> {
    const report = await this.#askServer(key, costs, now);
    if (report.admitted) this.#count("charge", key, costs, now);
    return report;
  }

  async #askServer(key: string, costs: readonly number[], now: TimeCell): Promise<Report> {
    const { store, stats, node } = this.#parts;
    this.settle(key);
    stats.asks += 1;
    stats.waited += 1;
    const report = await store.transact("take", [{ space: this.redis, key, costs }], now);
    if (report.block !== undefined) node.noteBlocked(this.plan.scope, key);
    else if (report.degraded === undefined) node.noteUnblocked(this.plan.scope, key);
    return report;
  }

  /** Whether less than the threshold is left of a limit. */
  #isBelow(report: Report): boolean {
    const { threshold } = this.#parts;
    return this.plan.limits.some(({ capacity }, i) => {
      return this.plan.enforces[i]! && capacity - report.used[i]! < capacity * threshold;
    });
  }
}
