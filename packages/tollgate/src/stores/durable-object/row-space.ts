import { carryOver } from "../../algorithms/carry-over.ts";
import { compileLimit } from "../../algorithms/compile-limit.ts";
import { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { CountedLimit, Kernel } from "../../algorithms/kernel.ts";
import { REACH_US } from "../../algorithms/ticks.ts";
import { readUs } from "../../core/clock.ts";
import type { Limit } from "../../core/limits/limit.ts";
import { isSameLimit, type Plan } from "../../core/plan.ts";
import { Report } from "../../core/report.ts";
import type { LimiterContext, SyncSpace } from "../../core/store.ts";
import type { Taken, UndoRecord } from "../../core/taken.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import { VERBS, type Verb } from "../../core/verbs.ts";
import { correctLimits } from "../local/correct-limits.ts";
import { firstPlan } from "../local/first-plan.ts";
import { tagOf } from "../redis/space-keys.ts";
import type { KeyRow, KeyRows, LimitCounts } from "./key-rows.ts";

/** A row without cells has a block alone. */
const SIZE = "SELECT count(*) AS size FROM tollgate_rows WHERE space = ? AND length(cells) > 0";

/** What the spaces of an object share. */
export interface RowSpaceStore {
  readonly rows: KeyRows;
  /** The moment of the request, by the object's clock. */
  readonly nowUs: number;
  /** The number of the last decision. */
  readonly number: number;
  /** Numbers a decision: higher than all before, also those before the object was evicted. */
  nextNumber(): number;
}

/** A key of the current call, and its row. */
interface Current {
  readonly key: string;
  readonly row: KeyRow;
  readonly now: TimeCell;
}

/**
 * One limiter's keys under one list. A key has one row for all lists of its scope whose counts may carry over, and one
 * for each list with `onChange: "separate"`.
 */
export class RowSpace implements SyncSpace {
  readonly plan: Plan;
  readonly #context: LimiterContext;
  readonly #store: RowSpaceStore;
  readonly #name: string;
  /** By the origin. */
  readonly #compiled = new Map<number, CompiledPlan>();
  readonly #expiry = createTimeCell();

  constructor(plan: Plan, context: LimiterContext, store: RowSpaceStore) {
    this.plan = plan;
    this.#context = context;
    this.#store = store;
    this.#name = spaceName(plan);
  }

  get size(): number {
    this.#store.rows.flush();
    const { size } = this.#store.rows.one(SIZE, this.#name);
    return size as number;
  }

  allow(key: string, cost: number, now: TimeCell): boolean {
    const costs = this.plan.countsNumber.map((counts) => (counts ? cost : 0));
    return this.apply("take", key, costs, now, new Report(), 0);
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
    const traits = VERBS[verb];
    const current = { key: tagOf(key), row: this.#read(key), now };
    if (traits.changes) report.resets = this.#store.nextNumber();
    if (taken !== undefined && (traits.refunds || traits.renews))
      return this.#correct(verb, current, costs, report, at, taken);
    return this.#run(this.#actingPlan(verb, key, current, report, at), verb, current, costs, report, at);
  }

  takeUndoably(
    key: string,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
    record: UndoRecord,
  ): boolean {
    record.key = key;
    record.table = this.#read(key);
    return this.apply("take", key, costs, now, report, at);
  }

  undo({ key, table }: UndoRecord, now: TimeCell): void {
    this.#write(tagOf(key), table as KeyRow, now);
  }

  drop(key: string): void {
    const { rows, nowUs } = this.#store;
    const row = this.#read(key);
    rows.write(this.#name, tagOf(key), this.#without(row), nowUs - readUs(this.#context.clock));
  }

  clear(): void {
    this.#store.rows.changeAll(this.#name, (row) => this.#without(row));
  }

  sweep(now: TimeCell): number {
    const { rows } = this.#store;
    rows.flush();
    const statement = "DELETE FROM tollgate_rows WHERE space = ? AND idle_us <= ? RETURNING 1";
    return rows.query(statement, this.#name, now[0]!).length;
  }

  maintain(): void {}

  release(): void {}

  #read(key: string): KeyRow {
    return this.#store.rows.read(this.#name, tagOf(key));
  }

  #write(key: string, row: KeyRow, now: TimeCell): void {
    this.#store.rows.write(this.#name, key, row, this.#store.nowUs - now[0]!);
  }

  #without(row: KeyRow): KeyRow {
    const counts = row.counts.filter(({ limit }) => !this.plan.limits.some((own) => isSameLimit(own, limit)));
    return { ...row, counts };
  }

  /** The plan that decides: the own, or with the first numbers of the key. Notes whose numbers those are. */
  #actingPlan(verb: Verb, key: string, { row, now }: Current, report: Report, at: number): Plan {
    const { known, isExact } = countsUnder(this.plan, row, now);
    const former = known.flatMap((counts) => counts?.limit ?? []);
    if (isExact || former.length === 0) return this.plan;
    const first = this.plan.onChange === "keep-first" ? firstPlan(this.plan, former) : undefined;
    if (first === undefined && VERBS[verb].changes) this.#context.onMove?.(key, former, this.plan.limits);
    else for (let i = 0; i < this.plan.limits.length; i += 1) report.isView[at + i] = true;
    for (const [i, limit] of (first?.limits ?? []).entries()) report.keptLimits[at + i] = limit;
    return first ?? this.plan;
  }

  /** Applies a verb under a list, to a copy of what the key has used, and writes the copy if that has changed. */
  #run(plan: Plan, verb: Verb, current: Current, costs: readonly number[], report: Report, at: number): boolean {
    const { now, row } = current;
    const compiled = this.#compile(plan, now);
    const cells = new Float64Array(compiled.width);
    const { known, isExact } = countsUnder(plan, row, now);
    const isNew = known.every((counts) => counts === undefined);
    if (!(isNew || isExact)) compiled.init(cells, 0, now);
    for (const [i, counts] of known.entries()) {
      if (counts === undefined) continue;
      const { kernel, offset } = compiled.parts[i]!;
      bring(counts, kernel, cells, offset, now);
    }
    compiled.begin(isNew ? "new" : "known", cells, 0, now);
    const isAdmitted = compiled.apply(VERBS[verb], cells, 0, costs, now, report, at);
    const hasMoved = VERBS[verb].changes && !(isNew || isExact);
    if (compiled.mustStore || hasMoved) this.#save(current, compiled, cells, known);
    return isAdmitted;
  }

  #save(
    current: Current,
    compiled: CompiledPlan,
    cells: Float64Array,
    known: readonly (LimitCounts | undefined)[],
  ): void {
    const { key, now, row } = current;
    compiled.noteExpiry(cells, 0, now, this.#expiry);
    const idleUs = this.#expiry[0]!;
    const own = compiled.parts.map(
      ({ kernel, offset }, i): LimitCounts => ({
        limit: kernel.limit,
        originUs: originOf(now),
        since: known[i]?.since ?? this.#store.number,
        idleUs,
        cells: cells.slice(offset, offset + kernel.size),
      }),
    );
    this.#write(key, { ...row, counts: [...this.#without(row).counts, ...own] }, now);
  }

  #correct(verb: Verb, current: Current, costs: readonly number[], report: Report, at: number, taken: Taken): boolean {
    const { key, now, row } = current;
    const changed = new Map<LimitCounts, LimitCounts & CountedLimit>();
    const find = (limit: Limit): CountedLimit | undefined => {
      const counts = row.counts.find((one) => isSameLimit(one.limit, limit) && one.since <= taken.resets);
      if (counts === undefined) return undefined;
      const kernel = compileLimit(counts.limit, originOf(now));
      const cells = new Float64Array(kernel.size);
      bring(counts, kernel, cells, 0, now);
      const copy = { ...counts, originUs: originOf(now), kernel, cells, at: 0 };
      changed.set(counts, copy);
      return copy;
    };
    const all = correctLimits(this.#compile(this.plan, now), find, VERBS[verb], costs, now, report, at, taken);
    const counts = row.counts.map((each) => expiring(changed.get(each), now) ?? each);
    if (changed.size > 0) this.#write(key, { ...row, counts }, now);
    return all;
  }

  #compile(plan: Plan, now: TimeCell): CompiledPlan {
    const originUs = originOf(now);
    const known = plan === this.plan ? this.#compiled.get(originUs) : undefined;
    const compiled = known ?? new CompiledPlan(plan, originUs);
    if (plan === this.plan) this.#compiled.set(originUs, compiled);
    return compiled;
  }
}

/** Names the keys of a list: all whose counts may carry over have one name in a scope. */
export function spaceName({ scope, onChange, id }: Plan): string {
  return JSON.stringify(onChange === "separate" ? [scope, id] : [scope]);
}

/** The counts of each limit of a list. What is idle counts as forgotten, unless all have the numbers of the list. */
function countsUnder({ limits }: Plan, row: KeyRow, now: TimeCell) {
  const own = limits.map((limit) => row.counts.find((counts) => isSameLimit(counts.limit, limit)));
  const isExact = own.every((counts, i) => counts?.limit.fingerprint === limits[i]!.fingerprint);
  const known = own.map((counts) => (isExact || (counts && now[0]! < counts.idleUs) ? counts : undefined));
  return { known, isExact };
}

/** Writes what counts as the cells of a kernel of the same limit, whatever its numbers and its origin. */
function bring(counts: LimitCounts, kernel: Kernel, cells: Float64Array, at: number, now: TimeCell): void {
  carryOver(kernel, cells, at, now, compileLimit(counts.limit, counts.originUs), counts.cells, 0);
}

/** A moment within 20 years, the same for all moments near it. */
function originOf(now: TimeCell): number {
  return Math.round(now[0]! / REACH_US) * REACH_US;
}

function expiring(counts: (LimitCounts & CountedLimit) | undefined, now: TimeCell): LimitCounts | undefined {
  if (counts === undefined) return undefined;
  const { kernel, at, ...own } = counts;
  const report = new Report();
  kernel.tell(own.cells, at, now, 0, report, 0);
  return { ...own, idleUs: now[0]! + report.resetUs[0]! + kernel.idleTtlUs };
}
