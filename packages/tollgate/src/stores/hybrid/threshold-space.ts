import { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import { readUs } from "../../core/clock.ts";
import type { Plan } from "../../core/plan.ts";
import { blocksKeys } from "../../core/plan.ts";
import { Report } from "../../core/report.ts";
import { ownCopy } from "../../core/text-memory.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import { VERBS, type VerbTraits } from "../../core/verbs.ts";
import type { RedisSpace } from "../redis/redis-space.ts";
import type { StoreOnServer } from "../redis/redis-store.ts";
import type { DecidingSpace } from "./local-space.ts";
import type { LeaseStats } from "./stats.ts";

/** A key's own cells, and what the server was not charged with yet. */
interface LocalKey {
  readonly cells: Float64Array;
  uncharged: number[];
}

/** The most keys that are counted here. The oldest one is charged and forgotten. */
const MOST_KEYS = 16_384;
/** Longer keys are asked call by call: callers could fill the memory with them. */
const LONGEST_KEY = 256;

interface ThresholdSpaceParts {
  readonly store: StoreOnServer;
  readonly redis: RedisSpace;
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
export class ThresholdSpace implements DecidingSpace {
  readonly plan: Plan;
  readonly redis: RedisSpace;
  readonly #parts: ThresholdSpaceParts;
  readonly #compiled: CompiledPlan;
  /** Places are held elsewhere, and a limit that blocks wants to know of every denied call. */
  readonly #isLocal: boolean;
  #keys = new Map<string, LocalKey>();

  constructor(parts: ThresholdSpaceParts) {
    this.plan = parts.redis.plan;
    this.redis = parts.redis;
    this.#parts = parts;
    this.#compiled = new CompiledPlan(this.plan, readUs(parts.redis.clock));
    this.#isLocal = this.plan.limits.length > 0 && !this.plan.takesPlaces && !blocksKeys(this.plan);
  }

  get keysOf(): string {
    return this.redis.keysOf;
  }

  take(key: string, costs: readonly number[], now: TimeCell): Promise<Report> | undefined {
    if (!this.#isLocal || key.length > LONGEST_KEY) return undefined;
    const known = this.#keyOf(key, now);
    const report = this.#apply(VERBS.take, known, costs, now);
    if (report.admitted && this.#isBelow(report)) return this.#ask(key, known, costs, now);
    this.#parts.stats.decidedLocally += 1;
    if (report.admitted) for (let i = 0; i < costs.length; i += 1) known.uncharged[i]! += costs[i]!;
    return Promise.resolve(report);
  }

  charge(): undefined {}

  /** What the server is asked for counts here, too. */
  asked(key: string, verb: VerbTraits, costs: readonly number[], now: TimeCell): void {
    if (this.#isLocal && verb.changes && key.length <= LONGEST_KEY)
      this.#apply(verb, this.#keyOf(key, now), costs, now);
  }

  restated(_key: string, _costs: readonly number[], report: Report): Report {
    return report;
  }

  leasesOf(): undefined {}

  settle(key: string): void {
    const known = this.#keys.get(key);
    if (known !== undefined) this.#settle(key, known);
  }

  giveBack(key: string): void {
    this.settle(key);
  }

  giveBackAll(): void {
    for (const [key, known] of this.#keys) this.#settle(key, known);
  }

  async drop(key: string): Promise<void> {
    this.#keys.delete(key);
    await this.redis.drop(key);
  }

  async clear(): Promise<void> {
    this.#keys = new Map();
    await this.redis.clear();
  }

  size(): Promise<number> {
    return this.redis.size();
  }

  sweep(now: TimeCell): Promise<number> {
    return this.redis.sweep(now);
  }

  watchSweeps(): void {
    this.redis.watchSweeps();
  }

  release(): void {
    this.giveBackAll();
    this.#keys = new Map();
    this.#parts.released(this);
    this.redis.release();
  }

  /** Charges what was admitted here, and lets the server decide. */
  async #ask(key: string, known: LocalKey, costs: readonly number[], now: TimeCell): Promise<Report> {
    const { store, stats } = this.#parts;
    this.#settle(key, known);
    stats.asks += 1;
    stats.waited += 1;
    const report = await store.transact("take", [{ space: this.redis, key, costs }], now);
    if (!report.admitted) this.#apply(VERBS.refund, known, costs, now);
    return report;
  }

  #settle(key: string, known: LocalKey): void {
    const costs = known.uncharged;
    if (!costs.some((cost) => cost > 0)) return;
    known.uncharged = costs.map(() => 0);
    this.#parts.stats.asks += 1;
    const now = createTimeCell(readUs(this.redis.clock));
    // A failed charge is not repeated: it may have been counted.
    this.#parts.store.transact("charge", [{ space: this.redis, key, costs }], now).catch(() => {});
  }

  /** Whether less than the threshold is left of a limit. */
  #isBelow(report: Report): boolean {
    const { threshold } = this.#parts;
    return this.plan.limits.some(({ capacity }, i) => {
      return this.plan.enforces[i]! && capacity - report.used[i]! < capacity * threshold;
    });
  }

  #apply(verb: VerbTraits, { cells }: LocalKey, costs: readonly number[], now: TimeCell): Report {
    const report = new Report();
    this.#compiled.begin("known", cells, 0, now);
    report.admitted = this.#compiled.apply(verb, cells, 0, costs, now, report, 0);
    return report;
  }

  #keyOf(key: string, now: TimeCell): LocalKey {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    if (this.#keys.size >= MOST_KEYS) this.#forgetOldest();
    const cells = new Float64Array(this.#compiled.width);
    this.#compiled.init(cells, 0, now);
    const made = { cells, uncharged: this.plan.limits.map(() => 0) };
    this.#keys.set(ownCopy(key), made);
    return made;
  }

  #forgetOldest(): void {
    for (const [key, known] of this.#keys) {
      this.#settle(key, known);
      this.#keys.delete(key);
      return;
    }
  }
}
