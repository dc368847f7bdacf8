import { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { Taker } from "../../algorithms/kernel.ts";
import { createInstant, type Instant } from "../../core/instant.ts";
import type { Plan } from "../../core/plan.ts";
import { Report } from "../../core/report.ts";
import type { Host, SyncHold, SyncSpace, Verb } from "../../core/store.ts";
import { denyForRoom } from "./deny-for-room.ts";
import type { HoldingSpace, LocalHold } from "./local-hold.ts";
import type { Room } from "./local-store.ts";
import type { PlanTable } from "./plan-table.ts";

/** What a space needs of its store. */
export interface SpaceKeeper {
  readonly room: Room;
  /** The plan's table, if there is one: a store lets empty tables go. */
  find(plan: Plan): PlanTable | undefined;
  /** The plan's table, made if there is none. */
  make(plan: Plan, nowUs: number): PlanTable;
  /** A hold on a key of one of its spaces. */
  hold(space: HoldingSpace, key: string): LocalHold;
  /** Cleans up a little, and says in its room when to do so again. */
  step(): void;
  /** Counts a new key. */
  inserted(): void;
}

/** How many keys of a batch are looked for at a time. */
const BATCH = 64;

/** One limiter's view of a table: the table keeps the cells, the view knows which limits enforce and in what order. */
export class LocalSpace implements SyncSpace, HoldingSpace {
  readonly plan: Plan;
  readonly #host: Host;
  readonly #keeper: SpaceKeeper;
  readonly #room: Room;
  #table: PlanTable | undefined;
  /** The table's kernels from which this view's were made. */
  #compiledFrom: CompiledPlan | undefined;
  #compiled: CompiledPlan;
  /** Cells of a key that is not there, or must not change. */
  readonly #copy: Float64Array;
  /** The time of the call at hand. */
  readonly #now = createInstant();
  readonly #costs: number[];
  readonly #report = new Report();
  /** Whether `allow` can decide with conforming and taking alone: no limit in shadow mode, none that starts empty. */
  readonly #plain: boolean;
  /** Then, what does so. */
  #taker: Taker | undefined;

  constructor(plan: Plan, host: Host, keeper: SpaceKeeper) {
    this.plan = plan;
    this.#host = host;
    this.#keeper = keeper;
    this.#room = keeper.room;
    this.#compiled = new CompiledPlan(plan, 0);
    this.#copy = new Float64Array(this.#compiled.width);
    this.#costs = plan.limits.map(() => 0);
    this.#plain = plan.enforces.every(Boolean) && !plan.startsEmpty;
  }

  get size(): number {
    return this.#known()?.size ?? 0;
  }

  allow(key: string, now: Instant, cost: number): boolean {
    const table = this.#tableAt(now);
    const base = table.locate(key);
    const taker = this.#taker;
    const admitted =
      base >= 0 && taker !== undefined
        ? taker.admit(table.cells, base, now, cost)
        : this.#allowOtherwise(table, base, key, now, cost);
    const room = this.#room;
    room.callsUntilStep -= 1;
    if (room.callsUntilStep <= 0) this.#keeper.step();
    return admitted;
  }

  hold(key: string): SyncHold {
    return this.#keeper.hold(this, key);
  }

  /** As `allow`, for a key that a hold finds. */
  allowHeld(hold: LocalHold, now: Instant, cost: number): boolean {
    const table = this.#tableAt(now);
    const base = hold.locateIn(table);
    const admitted =
      base >= 0 && this.#taker !== undefined
        ? this.#taker.admit(table.cells, base, now, cost)
        : this.#allowOtherwise(table, base, hold.key, now, cost);
    this.#called(1);
    return admitted;
  }

  allowMany(keys: readonly string[], nowUs: number, cost: number, out: Uint8Array): number {
    this.#now[0] = nowUs;
    const table = this.#tableAt(this.#now);
    let admitted = 0;
    for (let from = 0; from < keys.length; from += BATCH) {
      const until = Math.min(from + BATCH, keys.length);
      table.prepare(keys, from, until);
      for (let i = from; i < until; i += 1) {
        const base = table.locatePrepared(keys[i]!, i - from);
        const allowed =
          base >= 0 && this.#taker !== undefined
            ? this.#taker.admit(table.cells, base, this.#now, cost)
            : this.#allowOtherwise(table, base, keys[i]!, this.#now, cost);
        out[i] = allowed ? 1 : 0;
        if (allowed) admitted += 1;
      }
    }
    // Not before: it may let the table go.
    for (let left = keys.length; left > 0; left -= BATCH) this.#called(Math.min(left, BATCH));
    return admitted;
  }

  apply(verb: Verb, key: string, nowUs: number, costs: readonly number[], report: Report, at: number): boolean {
    this.#now[0] = nowUs;
    const table = this.#tableAt(this.#now);
    const base = table.locate(key);
    return base >= 0
      ? this.#applyTo(table.cells, base, verb, costs, report, at)
      : this.#applyToAbsent(table, table.room(key, this.#now), verb, key, costs, report, at);
  }

  drop(key: string): void {
    this.#known()?.drop(key);
  }

  clear(): void {
    this.#known()?.clear();
  }

  sweep(nowUs: number): number {
    const table = this.#known();
    if (table === undefined) return 0;
    table.members.readTime();
    table.members.noLaterThan(nowUs);
    return table.sweepAll();
  }

  tidy(): void {
    this.#called(1);
  }

  release(): void {
    this.#known()?.members.remove(this.#host);
  }

  #called(calls: number): void {
    this.#room.callsUntilStep -= calls;
    if (this.#room.callsUntilStep <= 0) this.#keeper.step();
  }

  /** For a key without cells, and for limits that take more than conforming and taking. */
  #allowOtherwise(table: PlanTable, base: number, key: string, now: Instant, cost: number): boolean {
    this.#now[0] = now[0]!;
    const room = base >= 0 ? -1 : table.room(key, this.#now);
    if (room >= 0 && this.#taker !== undefined) return this.#allowNew(this.#taker, table, room, key, cost);
    const costs = this.#costs;
    for (let i = 0; i < costs.length; i += 1) costs[i] = this.plan.countsNumber[i]! ? cost : 0;
    return base >= 0
      ? this.#applyTo(table.cells, base, "take", costs, this.#report, 0)
      : this.#applyToAbsent(table, room, "take", key, costs, this.#report, 0);
  }

  #allowNew(taker: Taker, table: PlanTable, room: number, key: string, cost: number): boolean {
    this.#compiled.init(this.#copy, 0, this.#now);
    if (!taker.admit(this.#copy, 0, this.#now, cost)) return false;
    if (cost > 0) this.#insert(table, room, key);
    return true;
  }

  /** For a key without cells: `room` is a place for it, or below 0. */
  #applyToAbsent(
    table: PlanTable,
    room: number,
    verb: Verb,
    key: string,
    costs: readonly number[],
    report: Report,
    at: number,
  ): boolean {
    if (room >= 0) return this.#applyToNew(table, room, verb, key, costs, report, at);
    if (verb === "take" || verb === "charge") this.#room.overflowed += 1;
    if (this.#room.overflow === "deny") {
      return denyForRoom(this.#compiled, this.#copy, this.#now, costs, report, at);
    }
    report.overflow ??= "shared";
    // Buckets that start empty would begin to fill, and looking changes nothing.
    if ((verb === "peek" || verb === "explain") && !table.hasOverflow)
      return this.#applyToNew(table, room, verb, key, costs, report, at);
    const overflow = table.overflow(this.#now);
    return this.#applyTo(overflow.cells, overflow.baseOf(key), verb, costs, report, at);
  }

  #applyTo(
    kept: Float64Array,
    keptBase: number,
    verb: Verb,
    costs: readonly number[],
    report: Report,
    at: number,
  ): boolean {
    const compiled = this.#compiled;
    const looks = verb === "peek" || verb === "explain";
    const cells = looks ? this.#copyOf(kept, keptBase) : kept;
    const base = looks ? 0 : keptBase;
    // A full bucket that should be forgotten is as good as a new one; one that starts empty is not.
    if (this.plan.startsEmpty && compiled.isDroppable(cells, base, this.#now)) compiled.init(cells, base, this.#now);
    const admitted = compiled.conform(cells, base, this.#now, costs, report, at);
    compiled.change(verb, admitted, cells, base, this.#now, costs, report, at);
    if (verb !== "refund") compiled.describe(cells, base, this.#now, costs, report, at);
    return admitted;
  }

  #applyToNew(
    table: PlanTable,
    room: number,
    verb: Verb,
    key: string,
    costs: readonly number[],
    report: Report,
    at: number,
  ): boolean {
    const compiled = this.#compiled;
    const cells = this.#copy;
    compiled.init(cells, 0, this.#now);
    const admitted = compiled.conform(cells, 0, this.#now, costs, report, at);
    const changed = compiled.change(verb, admitted, cells, 0, this.#now, costs, report, at);
    const looks = verb === "peek" || verb === "explain";
    if (!looks && (this.plan.startsEmpty || (changed && verb !== "refund"))) {
      this.#insert(table, room, key);
    }
    if (verb !== "refund") compiled.describe(cells, 0, this.#now, costs, report, at);
    return admitted;
  }

  /** Keeps the copy as the cells of a new key. */
  #insert(table: PlanTable, room: number, key: string): void {
    table.insert(room, key, this.#copy);
    this.#keeper.inserted();
  }

  #copyOf(cells: Float64Array, base: number): Float64Array {
    for (let i = 0; i < this.#copy.length; i += 1) this.#copy[i] = cells[base + i]!;
    return this.#copy;
  }

  /** The plan's table, with kernels that are exact at this moment. */
  #tableAt(now: Instant): PlanTable {
    const table = this.#table;
    return table?.serves(this.#compiledFrom, now) ? table : this.#anotherTableAt(now);
  }

  #anotherTableAt(now: Instant): PlanTable {
    const known = this.#table;
    const table = known === undefined || known.retired ? this.#join(this.#keeper.make(this.plan, now[0]!)) : known;
    table.reach(now);
    this.#compiledFrom = table.compiled;
    this.#compiled = table.compiledFor(this.plan);
    this.#taker = this.#plain ? this.#compiled.taker : undefined;
    return table;
  }

  /** The plan's table, if there is one: looking makes none. */
  #known(): PlanTable | undefined {
    if (this.#table === undefined || this.#table.retired) this.#join(this.#keeper.find(this.plan));
    return this.#table;
  }

  #join<Table extends PlanTable | undefined>(table: Table): Table {
    table?.members.add(this.#host);
    this.#table = table;
    return table;
  }
}
