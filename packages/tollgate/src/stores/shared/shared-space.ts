import { readUs } from "../../core/clock.ts";
import { KeyRef } from "../../core/key-ref.ts";
import type { Plan } from "../../core/plan.ts";
import { Report } from "../../core/report.ts";
import type { LimiterContext, SyncSpace } from "../../core/store.ts";
import type { Taken, UndoRecord } from "../../core/taken.ts";
import { ownCopy } from "../../core/text-memory.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import { VERBS, type Verb } from "../../core/verbs.ts";
import { denyForCapacity } from "../local/overflow.ts";
import { RecentKeys } from "../local/recent-keys.ts";
import { MoveNotices } from "./move-notices.ts";
import { PlanKeys, type SharedSpaceStore } from "./plan-keys.ts";
import type { SharedKeys } from "./shared-keys.ts";
import type { KeyCall, SharedPlan } from "./shared-plan.ts";
import { NOTHING } from "./shared-slots.ts";
import { ADMITTED, NO_SLOT_LEFT, RETRY, type SlotValues } from "./slot-values.ts";
import { Taking } from "./taking.ts";

/** What the front cache keeps of a key: its hash, and the slot where it was. */
const RECENT_VALUES = 3;
const SLOT = 2;

/** One limiter's view of the keys that threads share. */
export class SharedSpace implements SyncSpace {
  readonly plan: Plan;
  readonly isSharedByThreads: boolean;
  readonly #context: LimiterContext;
  readonly #store: SharedSpaceStore;
  readonly #shared: SharedPlan;
  readonly #values: SlotValues;
  readonly #keys: SharedKeys;
  readonly #planKeys: PlanKeys;
  readonly #moves: MoveNotices;
  readonly #recent = new RecentKeys(RECENT_VALUES);
  readonly #costs: number[];
  readonly #report = new Report();

  constructor(plan: Plan, context: LimiterContext, store: SharedSpaceStore) {
    const view = store.view(plan);
    this.plan = plan;
    this.isSharedByThreads = !(store.memory.words.buffer instanceof ArrayBuffer);
    this.#context = context;
    this.#store = store;
    this.#values = view.table.values;
    this.#shared = view.plan;
    this.#moves = new MoveNotices(context);
    this.#planKeys = new PlanKeys(view, plan.onChange, store, this.#moves.moved);
    this.#keys = this.#planKeys.keys;
    this.#costs = plan.limits.map(() => 0);
    store.opened.add(this.#shared);
  }

  get size(): number {
    return this.#planKeys.size;
  }

  allow(key: string, cost: number, now: TimeCell): boolean {
    const place = this.#recent.find(key);
    if (place < 0) return this.#allowUnknown(key, cost, now);
    const { values } = this.#recent;
    const at = RECENT_VALUES * place;
    const outcome = this.#tryTake(values[at + SLOT]!, values[at]!, values[at + 1]!, cost, now);
    return outcome >= RETRY ? this.#allowMoved(key, at, cost, now) : outcome === ADMITTED;
  }

  keyRef(key: string): KeyRef {
    const { fingerprints } = this.#shared;
    const ref = new KeyRef(key);
    fingerprints.hashKey(key);
    ref.low = fingerprints.low;
    ref.high = fingerprints.high;
    return ref;
  }

  allowRef(ref: KeyRef, cost: number, now: TimeCell): boolean {
    const outcome = this.#tryTake(ref.slot, ref.low, ref.high, cost, now);
    if (outcome < RETRY) return outcome === ADMITTED;
    const admitted = this.#allowOtherwise(ref.key, ref.low, ref.high, cost, now);
    ref.slot = this.#keys.slots.find(ref.low, ref.high);
    return admitted;
  }

  apply(
    verb: Verb,
    key: string,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
    taken?: Taken,
  ): boolean {
    this.#shared.setTime(now[0]!);
    const place = this.#recent.find(key);
    const { values } = this.#recent;
    const cached = RECENT_VALUES * place;
    if (place < 0) this.#hashAndKeep(key);
    const { fingerprints } = this.#shared;
    const low = place < 0 ? fingerprints.low : values[cached]!;
    const high = place < 0 ? fingerprints.high : values[cached + 1]!;
    if (place >= 0 && taken === undefined) {
      const outcome = this.#tryApply(values[cached + SLOT]!, low, high, verb, costs, now, report, at);
      if (outcome < RETRY) return isAdmitted(outcome, report, at, costs.length);
    }
    const call: KeyCall = { low, high, verb, costs, report, at };
    const admitted = taken === undefined ? this.#applyTo(key, call) : this.#correct(key, call, taken);
    if (place >= 0) values[cached + SLOT] = this.#keys.slots.find(low, high);
    if (this.#moves.moved.length > 0) this.#moves.note(key);
    return admitted;
  }

  takeUndoably(
    key: string,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
    record: UndoRecord,
  ): boolean {
    const taking = new Taking(now[0]!);
    record.table = taking;
    this.#shared.taking = taking;
    try {
      if (!this.apply("take", key, costs, now, report, at)) return false;
    } finally {
      this.#shared.taking = undefined;
    }
    // A limit in shadow mode takes nothing from a call that does not conform to it.
    taking.costs = costs.map((cost, i) => (report.conforms[at + i] ? cost : 0));
    return true;
  }

  undo({ table }: UndoRecord): void {
    if (table instanceof Taking) table.keys?.revoke(table, this.#context.clock);
  }

  drop(key: string): void {
    const { fingerprints } = this.#shared;
    const { drops } = this.#keys;
    if (drops.mayBeElsewhere) this.#shared.setTime(readUs(this.#context.clock));
    fingerprints.hashKey(key);
    drops.drop(fingerprints.low, fingerprints.high);
  }

  clear(): void {
    if (this.#planKeys.mayBeElsewhere) this.#shared.setTime(readUs(this.#context.clock));
    this.#planKeys.clear();
  }

  sweep(now: TimeCell): number {
    this.#shared.setTime(now[0]!);
    const removed = this.#planKeys.sweep();
    if (removed > 0) this.#store.countSwept(removed);
    return removed;
  }

  /** The slot of an idle key counts as free. */
  maintain(): void {
    this.#store.maintain();
    this.#moves.tell();
  }

  release(): void {
    this.#store.opened.delete(this.#shared);
  }

  /** Takes a plain cost in the slot where the key was last. */
  #tryTake(slot: number, low: number, high: number, cost: number, now: TimeCell): number {
    const { plain } = this.#shared;
    if (slot < 0 || plain === undefined || !this.#shared.isExactAt(now)) return RETRY;
    const state = this.#keys.slots.liveState(slot, low, high);
    return state === NOTHING ? RETRY : this.#values.tryTake(slot, state, plain, now, cost);
  }

  /** Applies a verb in the slot where the key was last. */
  #tryApply(
    slot: number,
    low: number,
    high: number,
    verb: Verb,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
  ): number {
    const { plain, taking } = this.#shared;
    if (slot < 0 || plain === undefined || taking !== undefined) return RETRY;
    // Before the state is read: a later reset that forgets what is published is not among these.
    report.resets = this.#store.resets.count;
    const state = this.#keys.slots.liveState(slot, low, high);
    if (state === NOTHING) return RETRY;
    return this.#values.tryApply(slot, state, plain, VERBS[verb], costs, now, report, at);
  }

  /** For a key that the front cache does not have. */
  #allowUnknown(key: string, cost: number, now: TimeCell): boolean {
    const { fingerprints } = this.#shared;
    this.#hashAndKeep(key);
    const { low, high } = fingerprints;
    const outcome = this.#tryTake(this.#keys.slots.find(low, high), low, high, cost, now);
    return outcome >= RETRY ? this.#allowOtherwise(key, low, high, cost, now) : outcome === ADMITTED;
  }

  /** Hashes a key that the front cache does not have, and may keep it there. */
  #hashAndKeep(key: string): void {
    const { fingerprints } = this.#shared;
    fingerprints.hashKey(key);
    const { low, high } = fingerprints;
    const place = this.#recent.placeForMissing();
    if (place < 0) return;
    this.#recent.keep(place, ownCopy(key));
    this.#noteRecent(RECENT_VALUES * place, low, high, this.#keys.slots.find(low, high));
  }

  /** For a cached key that has moved, or that another thread changed at the same time. */
  #allowMoved(key: string, at: number, cost: number, now: TimeCell): boolean {
    const { values } = this.#recent;
    const low = values[at]!;
    const high = values[at + 1]!;
    const admitted = this.#allowOtherwise(key, low, high, cost, now);
    this.#noteRecent(at, low, high, this.#keys.slots.find(low, high));
    return admitted;
  }

  #noteRecent(at: number, low: number, high: number, slot: number): void {
    const { values } = this.#recent;
    values[at] = low;
    values[at + 1] = high;
    values[at + SLOT] = slot;
  }

  #allowOtherwise(key: string, low: number, high: number, cost: number, now: TimeCell): boolean {
    this.#shared.setTime(now[0]!);
    const costs = this.#costs;
    for (let i = 0; i < costs.length; i += 1) costs[i] = this.plan.countsNumber[i]! ? cost : 0;
    const admitted = this.#applyTo(key, { low, high, verb: "take", costs, report: this.#report, at: 0 });
    if (this.#moves.moved.length > 0) {
      this.#moves.note(key);
      this.maintain();
    }
    return admitted;
  }

  /** Corrects a take where it was made. */
  #correct(key: string, call: KeyCall, taken: Taken): boolean {
    const correction = { ...call, taken, resetHashes: this.#shared.resetHashesOf(call.high), left: [...call.costs] };
    if (taken.where === "own") return this.#keys.corrections.correct(correction);
    return this.#planKeys.buckets.corrections.correct({ ...correction, ...this.#bucketOf(key) });
  }

  /** Applies a verb at the time of the plan. */
  #applyTo(key: string, call: KeyCall): boolean {
    const { verb, costs, report, at } = call;
    const outcome = this.#keys.decide(call);
    if (outcome < RETRY) return isAdmitted(outcome, report, at, costs.length);
    const { changes, refunds } = VERBS[verb];
    if (changes && !refunds) this.#store.countOverflow();
    // A key that has cells of its own must not be counted in a bucket.
    if (outcome === NO_SLOT_LEFT && this.#store.overflow === "share") {
      const shared = this.#planKeys.buckets.decide({ ...call, ...this.#bucketOf(key) });
      if (shared < RETRY) {
        report.overflow ??= "shared";
        return shared === ADMITTED;
      }
    }
    const { compiled, now, values } = this.#shared;
    return denyForCapacity(compiled, values.cells, now, costs, report, at);
  }

  /** The hash of the overflow bucket that a key shares with others. */
  #bucketOf(key: string): { readonly low: number; readonly high: number } {
    const { fingerprints } = this.#shared;
    fingerprints.hashBucket(key);
    const { low, high } = fingerprints;
    return { low, high };
  }
}

function isAdmitted(outcome: number, report: Report, at: number, limits: number): boolean {
  // In a combined call, the peek before may have found no slot.
  if (report.lacksCapacity.length > at) report.lacksCapacity.fill(false, at, at + limits);
  return outcome === ADMITTED;
}
