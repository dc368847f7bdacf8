import { startsEmpty } from "../../../algorithms/compile-limit.ts";
import type { Maybe } from "../../../core/maybe-async.ts";
import { blocksKeys } from "../../../core/plan.ts";
import { Report } from "../../../core/report.ts";
import type { AsyncSpace, Call as StoreCall, SyncSpace } from "../../../core/store.ts";
import type { Taken } from "../../../core/taken.ts";
import { createTimeCell, type TimeCell } from "../../../core/time-cell.ts";
import { VERBS, type Verb } from "../../../core/verbs.ts";
import type { RedisSpace } from "../../redis/redis-space.ts";
import { DecidingSpace, LONGEST_KEY, type StoreState } from "../deciding-space.ts";
import type { ThresholdNode } from "./threshold-node.ts";

type Call = Pick<StoreCall<AsyncSpace>, "key" | "costs">;

interface ThresholdSpaceParts {
  readonly redis: RedisSpace;
  readonly node: ThresholdNode;
  readonly state: StoreState;
  /** The part of a capacity below which the server is asked. */
  readonly threshold: number;
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
    super(parts.redis, parts.state);
    this.#parts = parts;
    const { clock } = parts.redis;
    this.#counts = parts.node.counts.open(this.plan, { clock, isFallback: true });
    const { limits, takesPlaces, onChange } = this.plan;
    // Places are held elsewhere, a limit that blocks wants to know of every denied call, a bucket that starts empty of
    // the first one, and the first numbers of a key are known to the script alone.
    const isApart = takesPlaces || blocksKeys(this.plan) || startsEmpty(this.plan) || onChange === "keep-first";
    this.#isLocal = limits.length > 0 && !isApart;
  }

  protected take(key: string, costs: readonly number[], nowUs: number): Maybe<Report> | undefined {
    if (!this.#isCountedHere(key)) return undefined;
    const { node } = this.#parts;
    const now = createTimeCell(nowUs);
    const here = this.#count("take", key, costs, now);
    if (here.overflow !== undefined) return undefined;
    const taken = takenOf(here, costs);
    node.lowerDebt(this.redis, key, here.used, taken);
    if (!here.admitted || this.#isBelow(here) || node.mayBeBlocked(this.plan.scope, key))
      return this.#ask(key, costs, now, here);
    this.state.stats.decidedLocally += 1;
    here.resets = node.addDebt(this.redis, key, taken);
    return here;
  }

  /**
   * What the server is asked for counts here, too. What a decision gives back stays counted: it may be of an earlier
   * window or from before a reset. Then more calls ask the server, as all do that are denied here.
   */
  asked({ key, costs }: Call, verb: Verb, now: TimeCell, work: Promise<Report>, taken?: Taken): void {
    const { changes, takes } = VERBS[verb];
    if (!changes || taken !== undefined || !this.#isCountedHere(key)) return;
    const here = this.#count(verb, key, costs, now);
    if (takes === "if all conform") work.then((there) => this.#answered(there, key, costs, now, here)).catch(() => {});
  }

  /** The receipt of a call that was admitted here is, on the server, that of the charge for it. */
  override takenThere(taken: Taken, now: TimeCell): Maybe<Taken> {
    if (taken.resets >= 0) return taken;
    return this.#parts.node.chargeOf(taken.resets).then(({ resets = 0, untilUs } = new Report()) => {
      return { ...taken, resets, untilUs: taken.untilUs.map((us, i) => (us > now[0]! ? (untilUs[i] ?? us) : us)) };
    });
  }

  override settle(key: string): void {
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
  }

  #isCountedHere(key: string): boolean {
    return this.#isLocal && key.length <= LONGEST_KEY;
  }

  #count(verb: Verb, key: string, costs: readonly number[], now: TimeCell, taken?: Taken): Report {
    const report = new Report();
    report.admitted = this.#counts.apply(verb, key, costs, now, report, 0, taken);
    this.#counts.maintain();
    return report;
  }

  /** Charges what was admitted here, and lets the server decide about a call that was counted here. */
  async #ask(key: string, costs: readonly number[], now: TimeCell, here: Report): Promise<Report> {
    const { node } = this.#parts;
    const { stats } = this.state;
    this.settle(key);
    stats.asks += 1;
    stats.waited += 1;
    const report = await node.store.transact("take", [{ space: this.redis, key, costs }], now);
    if (report.block !== undefined) node.noteBlocked(this.plan.scope, key);
    else if (report.degraded === undefined) node.noteUnblocked(this.plan.scope, key);
    else if (!here.admitted) return here;
    this.#answered(report, key, costs, now, here);
    return report;
  }

  /** The server decided about a call that was counted here. */
  #answered({ admitted }: Report, key: string, costs: readonly number[], now: TimeCell, here: Report): void {
    if (admitted && !here.admitted) this.#count("charge", key, costs, now);
    if (admitted || !here.admitted) return;
    const untilUs = costs.map((_, i) => here.untilUs[i] ?? now[0]! + here.resetUs[i]!);
    const taken: Taken = { where: "own", degraded: undefined, resets: here.resets ?? 0, untilUs };
    this.#count("refund", key, takenOf(here, costs), now, taken);
  }

  /** Whether less than the threshold is left of a limit. */
  #isBelow(report: Report): boolean {
    const { threshold } = this.#parts;
    return this.plan.limits.some(({ capacity }, i) => {
      return this.plan.enforces[i]! && capacity - report.used[i]! < capacity * threshold;
    });
  }
}

/** Limits in shadow mode took only what conformed. */
function takenOf({ admitted, conforms }: Report, costs: readonly number[]): readonly number[] {
  return costs.map((cost, i) => (admitted && conforms[i]! ? cost : 0));
}
