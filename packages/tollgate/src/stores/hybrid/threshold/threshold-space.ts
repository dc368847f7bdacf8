import { startsEmpty } from "../../../algorithms/compile-limit.ts";
import { readUs } from "../../../core/clock.ts";
import { blocksKeys } from "../../../core/plan.ts";
import type { Report } from "../../../core/report.ts";
import { createTimeCell, type TimeCell } from "../../../core/time-cell.ts";
import { VERBS, type VerbTraits } from "../../../core/verbs.ts";
import type { RedisSpace } from "../../redis/redis-space.ts";
import type { StoreOnServer } from "../../redis/redis-store.ts";
import type { DecidingSpace } from "../local-space.ts";
import { LONGEST_KEY, SpaceOnServer } from "../space-on-server.ts";
import type { LeaseStats } from "../stats.ts";
import { LocalCounts } from "./local-counts.ts";
import type { LocalKey, LocalKeys } from "./local-keys.ts";
import type { BlockedKeys, ThresholdNode } from "./threshold-node.ts";

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
export class ThresholdSpace extends SpaceOnServer implements DecidingSpace {
  readonly #parts: ThresholdSpaceParts;
  readonly #counts: LocalCounts;
  readonly #keys: LocalKeys;
  readonly #releaseKeys: () => void;
  readonly #blocked: BlockedKeys;
  readonly #isLocal: boolean;

  constructor(parts: ThresholdSpaceParts) {
    super(parts.redis);
    this.#parts = parts;
    this.#counts = new LocalCounts(this.plan, readUs(parts.redis.clock));
    const { keys, release } = parts.node.open(parts.redis);
    this.#keys = keys;
    this.#releaseKeys = release;
    this.#blocked = parts.node.blockedIn(this.plan.scope);
    const { limits, takesPlaces, onChange } = this.plan;
    // Places are held elsewhere, a limit that blocks wants to know of every denied call, a bucket that starts empty of
    // the first one, and the first numbers of a key are known to the script alone.
    const isApart = takesPlaces || blocksKeys(this.plan) || startsEmpty(this.plan) || onChange === "keep-first";
    this.#isLocal = limits.length > 0 && !isApart;
  }

  take(key: string, costs: readonly number[], now: TimeCell): Promise<Report> | undefined {
    if (!this.#isLocal || key.length > LONGEST_KEY) return undefined;
    const known = this.#keyOf(key, now);
    if (this.#blocked.has(key)) return this.#askFirst(key, known, costs, now);
    const report = this.#counts.take(known, costs, now);
    if (report.admitted && this.#isBelow(report)) return this.#ask(key, known, costs, now);
    this.#parts.stats.decidedLocally += 1;
    if (report.admitted) this.#counts.noteUncharged(known, costs, report);
    return Promise.resolve(report);
  }

  charge(): undefined {}

  /** What the server is asked for counts here, too. */
  asked(key: string, verb: VerbTraits, costs: readonly number[], now: TimeCell): void {
    if (this.#isLocal && verb.changes && key.length <= LONGEST_KEY)
      this.#counts.apply(verb, this.#keyOf(key, now), costs, now);
  }

  restated(_key: string, _costs: readonly number[], report: Report): Report {
    return report;
  }

  leasesOf(): undefined {}

  settle(key: string): void {
    void this.#settle(key);
  }

  giveBack(key: string): void {
    this.settle(key);
  }

  giveBackAll(): void {
    void this.#settleAll();
  }

  /** Keys that were admitted here count. */
  override async size(): Promise<number> {
    await this.#settleAll();
    return super.size();
  }

  override async sweep(now: TimeCell): Promise<number> {
    await this.#settleAll();
    return super.sweep(now);
  }

  protected forget(key: string): void {
    this.#keys.forget(key);
  }

  protected forgetAll(): void {
    this.#keys.clear();
  }

  protected released(): void {
    this.#releaseKeys();
    this.#parts.released(this);
  }

  /** Charges what was admitted here, and lets the server decide about a call that was taken here. */
  async #ask(key: string, known: LocalKey, costs: readonly number[], now: TimeCell): Promise<Report> {
    const report = await this.#askServer(key, costs, now);
    if (!report.admitted) this.#counts.apply(VERBS.refund, known, costs, now);
    return report;
  }

  /** Lets the server decide about a key that may be blocked. */
  async #askFirst(key: string, known: LocalKey, costs: readonly number[], now: TimeCell): Promise<Report> {
    const report = await this.#askServer(key, costs, now);
    if (report.admitted) this.#counts.apply(VERBS.charge, known, costs, now);
    return report;
  }

  async #askServer(key: string, costs: readonly number[], now: TimeCell): Promise<Report> {
    const { store, stats } = this.#parts;
    this.settle(key);
    stats.asks += 1;
    stats.waited += 1;
    const report = await store.transact("take", [{ space: this.redis, key, costs }], now);
    if (report.block !== undefined) this.#blocked.add(key);
    else if (report.degraded === undefined) this.#blocked.delete(key);
    return report;
  }

  async #settleAll(): Promise<void> {
    await Promise.all(this.#keys.names().map((key) => this.#settle(key)));
  }

  async #settle(key: string): Promise<void> {
    const known = this.#keys.find(key);
    if (known === undefined) return;
    const costs = this.#counts.takeUncharged(known);
    if (costs === undefined) return;
    const now = createTimeCell(readUs(this.redis.clock));
    this.#parts.stats.asks += 1;
    // A failed charge is not repeated: it may have been counted.
    await this.#parts.store.transact("charge", [{ space: this.redis, key, costs }], now).catch(() => {});
  }

  /** Whether less than the threshold is left of a limit. */
  #isBelow(report: Report): boolean {
    const { threshold } = this.#parts;
    return this.plan.limits.some(({ capacity }, i) => {
      return this.plan.enforces[i]! && capacity - report.used[i]! < capacity * threshold;
    });
  }

  #keyOf(key: string, now: TimeCell): LocalKey {
    const known = this.#keys.find(key);
    if (known !== undefined) return known;
    const { surplus } = this.#keys;
    if (surplus !== undefined) {
      this.settle(surplus);
      this.#keys.forget(surplus);
    }
    const made = this.#counts.make(now);
    this.#keys.add(key, made);
    return made;
  }
}
