import { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { Taker } from "../../algorithms/kernel.ts";
import type { Plan } from "../../core/plan.ts";
import { Report } from "../../core/report.ts";
import type { LimiterContext, SyncHold, SyncSpace, Verb } from "../../core/store.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import { applyVerb, looks } from "./apply-verb.ts";
import type { Capacity } from "./capacity.ts";
import { denyForRoom } from "./deny-for-room.ts";
import type { HoldingSpace, LocalHold } from "./local-hold.ts";
import type { PlanTable } from "./plan-table.ts";
import type { SpaceKeeper } from "./space-keeper.ts";

/** How many keys of a batch are looked for at a time. */
const BATCH = 64;

/** One limiter's view of a table: the table keeps the cells, the view knows which limits enforce and in what order. */
export class LocalSpace implements SyncSpace, HoldingSpace {
  readonly plan: Plan;
  readonly #context: LimiterContext;
  readonly #keeper: SpaceKeeper;
  readonly #capacity: Capacity;
  #table: PlanTable | undefined;
  /** The table's kernels from which this view's were made. */
  #compiledFrom: CompiledPlan | undefined;
  #compiled: CompiledPlan;
  /** The time of the call at hand. */
  readonly #now = createTimeCell();
  readonly #costs: number[];
  readonly #report = new Report();
  /** Whether `allow` can decide with conforming and taking alone: no limit in shadow mode, none that starts empty. */
  readonly #plain: boolean;
  /** Then, what does so. */
  #taker: Taker | undefined;
  /** Whether the call at hand did more than look. */
  #hasChanged = false;

  constructor(plan: Plan, context: LimiterContext, keeper: SpaceKeeper) {
    this.plan = plan;
    this.#context = context;
    this.#keeper = keeper;
    this.#capacity = keeper.capacity;
    this.#compiled = new CompiledPlan(plan, 0);
    this.#capacity.reserveScratch(this.#compiled.width);
    this.#costs = plan.limits.map(() => 0);
    this.#plain = plan.enforces.every(Boolean) && !plan.startsEmpty;
  }

  get size(): number {
    return this.#known()?.size ?? 0;
  }

  allow(key: string, now: TimeCell, cost: number): boolean {
    const table = this.#tableAt(now);
    const base = table.locate(key);
    const taker = this.#taker;
    const admitted =
      base >= 0 && taker !== undefined
        ? taker.admit(table.cells, base, now, cost)
        : this.#allowOtherwise(table, base, key, now, cost);
    const room = this.#capacity;
    room.callsUntilStep -= 1;
    if (room.callsUntilStep <= 0) this.#keeper.step();
    return admitted;
  }

  hold(key: string): SyncHold {
    return this.#keeper.hold(this, key);
  }

  /** As `allow`, for a key that a hold finds. */
  allowHeld(hold: LocalHold, now: TimeCell, cost: number): boolean {
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
    if (verb === "peek") this.#beginToLook(report);
    else if (verb !== "explain") this.#beginToChange(verb, key);
    const table = this.#tableAt(this.#now);
    const base = table.locate(key);
    if (base < 0) return this.#applyToAbsent(table, table.room(key, this.#now), verb, key, costs, report, at);
    // Or another key of this call could take its place.
    if (verb === "peek" && this.#compiled.isIdle(table.cells, base, this.#now)) {
      this.#capacity.reservations.addIdleKey(table, key);
    }
    return this.#applyTo(table.cells, base, verb, costs, report, at);
  }

  drop(key: string): void {
    this.#mayHaveRoom();
    this.#known()?.drop(key);
  }

  clear(): void {
    this.#mayHaveRoom();
    this.#known()?.clear();
  }

  sweep(nowUs: number): number {
    this.#mayHaveRoom();
    const table = this.#known();
    if (table === undefined) return 0;
    table.users.readTime();
    table.users.noLaterThan(nowUs);
    return table.sweepAll();
  }

  maintain(): void {
    this.#capacity.reservations.release();
    // Not after a look: what it found has to hold for the call after it.
    if (!this.#hasChanged) return;
    this.#hasChanged = false;
    this.#mayHaveRoom();
    this.#called(1);
  }

  release(): void {
    this.#known()?.users.remove(this.#context);
  }

  #called(calls: number): void {
    this.#capacity.callsUntilStep -= calls;
    if (this.#capacity.callsUntilStep <= 0) this.#keeper.step();
  }

  #beginToLook(report: Report): void {
    this.#hasChanged = false;
    this.#capacity.reservations.begin(report, this.#now);
  }

  #beginToChange(verb: Verb, key: string): void {
    this.#hasChanged = true;
    this.#noteChange(key);
    if (verb === "refund") this.#mayHaveRoom();
  }

  #noteChange(key: string): void {
    if (this.#capacity.reservations.some) this.#capacity.reservations.noteChange(this.#table, key);
  }

  /** A new key may find room at the same instant at which there was none. */
  #mayHaveRoom(): void {
    this.#capacity.fullAtUs = Number.NaN;
  }

  /** For a key without cells, and for limits that take more than conforming and taking. */
  #allowOtherwise(table: PlanTable, base: number, key: string, now: TimeCell, cost: number): boolean {
    this.#now[0] = now[0]!;
    this.#noteChange(key);
    const room = base >= 0 ? -1 : table.room(key, this.#now);
    this.#mayHaveRoom();
    if (room >= 0 && this.#taker !== undefined) return this.#allowNew(this.#taker, table, room, key, cost);
    const costs = this.#costs;
    for (let i = 0; i < costs.length; i += 1) costs[i] = this.plan.countsNumber[i]! ? cost : 0;
    return base >= 0
      ? this.#applyTo(table.cells, base, "take", costs, this.#report, 0)
      : this.#applyToAbsent(table, room, "take", key, costs, this.#report, 0);
  }

  #allowNew(taker: Taker, table: PlanTable, room: number, key: string, cost: number): boolean {
    const { scratch } = this.#capacity;
    this.#compiled.init(scratch, 0, this.#now);
    if (!taker.admit(scratch, 0, this.#now, cost)) return false;
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
    if (verb === "take" || verb === "charge") this.#capacity.overflowCount += 1;
    const mayShare = verb === "explain" ? table.mayOverflow : table.reserveOverflow();
    if (this.#capacity.overflow === "deny" || !mayShare) {
      return denyForRoom(this.#compiled, this.#capacity.scratch, this.#now, costs, report, at);
    }
    report.overflow ??= "shared";
    // Buckets that start empty would begin to fill, and looking changes nothing.
    if (looks(verb) && !table.hasOverflow) {
      if (verb === "peek") this.#capacity.reservations.addOverflow(table);
      return this.#applyToNew(table, room, verb, key, costs, report, at);
    }
    const overflow = table.overflow(this.#now);
    return this.#applyTo(overflow.cells, overflow.baseOf(key), verb, costs, report, at);
  }

  #applyTo(
    cells: Float64Array,
    base: number,
    verb: Verb,
    costs: readonly number[],
    report: Report,
    at: number,
  ): boolean {
    const { scratch } = this.#capacity;
    if (!looks(verb)) return applyVerb(this.#compiled, cells, base, verb, this.#now, costs, report, at);
    for (let i = 0; i < this.#compiled.width; i += 1) scratch[i] = cells[base + i]!;
    return applyVerb(this.#compiled, scratch, 0, verb, this.#now, costs, report, at);
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
    const cells = this.#capacity.scratch;
    compiled.init(cells, 0, this.#now);
    if (verb === "peek" && room >= 0) {
      table.reserve(room, key, cells);
      this.#capacity.reservations.addNewKey(table, key);
    }
    const admitted = compiled.conform(cells, 0, this.#now, costs, report, at);
    const changed = compiled.change(verb, admitted, cells, 0, this.#now, costs, report, at);
    if (!looks(verb) && (this.plan.startsEmpty || (changed && verb !== "refund"))) {
      this.#insert(table, room, key);
    }
    if (verb !== "refund") compiled.describe(cells, 0, this.#now, costs, report, at);
    return admitted;
  }

  /** Keeps the copy as the cells of a new key. */
  #insert(table: PlanTable, room: number, key: string): void {
    table.insert(room, key, this.#capacity.scratch);
    this.#keeper.inserted();
  }

  /** The plan's table, with kernels that are exact at this moment. */
  #tableAt(now: TimeCell): PlanTable {
    const table = this.#table;
    return table?.serves(this.#compiledFrom, now) ? table : this.#anotherTableAt(now);
  }

  #anotherTableAt(now: TimeCell): PlanTable {
    const known = this.#table;
    const table = known === undefined || known.retired ? this.#join(this.#made(now)) : known;
    table.reach(now);
    this.#compiledFrom = table.compiled;
    this.#compiled = table.compiledFor(this.plan);
    this.#taker = this.#plain ? this.#compiled.taker : undefined;
    return table;
  }

  #made(now: TimeCell): PlanTable {
    return this.#keeper.make(this.plan, now[0]!, this.#context.choosesLimits === true);
  }

  /** The plan's table, if there is one: looking makes none. */
  #known(): PlanTable | undefined {
    if (this.#table === undefined || this.#table.retired) this.#join(this.#keeper.find(this.plan));
    return this.#table;
  }

  #join<Table extends PlanTable | undefined>(table: Table): Table {
    table?.users.add(this.#context);
    this.#table = table;
    return table;
  }
}
