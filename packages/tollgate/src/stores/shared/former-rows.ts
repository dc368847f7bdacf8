import { carryOverKey } from "../../algorithms/carry-over.ts";
import type { Part } from "../../algorithms/kernel.ts";
import type { Plan } from "../../core/plan.ts";
import { firstPlan } from "../local/first-plan.ts";
import { MOVES_AT } from "./memory-layout.ts";
import { areIdle, countsFor, type RelatedKeys, type Row, type RowCopy } from "./related-keys.ts";
import type { SharedMemory } from "./shared-memory.ts";
import type { SharedPlan } from "./shared-plan.ts";
import { CLAIM, LIVE } from "./slot-search.ts";
import { COUNTED_ELSEWHERE, RETRY, UNCOUNTED } from "./slot-values.ts";

/** Reads what a key has used under other plans of the same limiter whose limits count together with this plan's. */
export class FormerRows {
  readonly #own: RelatedKeys;
  readonly #plan: SharedPlan;
  readonly #memory: SharedMemory;
  /** What `find` has found. */
  #found: readonly RowCopy[] = [];

  constructor(own: RelatedKeys, memory: SharedMemory) {
    this.#own = own;
    this.#plan = own.plan;
    this.#memory = memory;
  }

  /** Whether another plan may count keys of this plan. */
  get mayExist(): boolean {
    return this.#own.hasRelatives;
  }

  /**
   * Finds what counts of a key that has no live row under this plan: `COUNTED_ELSEWHERE` or `UNCOUNTED`, or else
   * `RETRY`. Idle rows count as forgotten.
   */
  find(low: number, high: number): number {
    const moves = this.moves;
    const rows = this.#own.rowsOf(low, high, this.#plan).filter(({ kind }) => kind !== CLAIM);
    if (rows.some(({ keys, kind }) => keys === this.#own && kind === LIVE)) return RETRY;
    const live = rows.filter(({ kind }) => kind === LIVE);
    const found: RowCopy[] = [];
    for (const row of rows) {
      const copy = this.copy(row);
      if (copy === undefined) return RETRY;
      // What a live row counts, a frozen one counts no longer.
      const counts = ({ kernel }: Part) => row.kind === LIVE || !live.some(({ keys }) => keys.plan.has(kernel.limit));
      const counted = { ...copy, parts: copy.parts.filter(counts) };
      if (!areIdle(copy, this.#plan.now) && countsFor(counted, this.#plan)) found.push(counted);
    }
    // A key that left a slot before it was visited came to another one before, maybe to one that was visited earlier.
    if (!rows.every((row) => row.keys.confirm(row)) || this.moves !== moves) return RETRY;
    this.#found = found;
    return found.length === 0 ? UNCOUNTED : COUNTED_ELSEWHERE;
  }

  /** Writes into the copy of this plan's cells what `find` has found. */
  preview(): void {
    this.carryOver(this.#found);
  }

  /** Whether what `find` has found still counts. */
  confirm(): boolean {
    return this.#found.every(({ row }) => row.keys.confirm(row));
  }

  /** The plan that has the numbers under which rows count a key; `undefined` if that is this plan. */
  firstPlan(rows: readonly RowCopy[] = this.#found): Plan | undefined {
    const counted = rows.flatMap(({ parts }) => parts.map(({ kernel }) => kernel.limit));
    return firstPlan(this.#plan.plan, counted);
  }

  /** Writes into the copy of this plan's cells what rows count. */
  carryOver(copies: readonly RowCopy[]): void {
    const { compiled, values, now } = this.#plan;
    carryOverKey(compiled, values.cells, copies, now);
  }

  /** Copies a row at the time of the call. */
  copy(row: Row): RowCopy | undefined {
    return row.keys.copy(row, this.#plan);
  }

  /** How many rows of any keys have gone to other plans. */
  get moves(): number {
    return this.#memory.atomics.load(this.#memory.words, MOVES_AT);
  }
}
