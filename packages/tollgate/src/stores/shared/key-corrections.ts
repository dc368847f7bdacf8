import type { CountedLimit, Part } from "../../algorithms/kernel.ts";
import type { Limit } from "../../core/limits/limit.ts";
import { isSameLimit } from "../../core/plan.ts";
import { Report } from "../../core/report.ts";
import type { Taken } from "../../core/taken.ts";
import { VERBS } from "../../core/verbs.ts";
import { correctLimits } from "../local/correct-limits.ts";
import type { MovesStore } from "./key-moves.ts";
import { MOVES_AT } from "./memory-layout.ts";
import type { RelatedKeys, Row, RowCopy } from "./related-keys.ts";
import type { KeyCall, SharedPlan } from "./shared-plan.ts";
import { FROZEN, LIVE } from "./slot-search.ts";
import { NO_SLOT_LEFT, PUBLISHED } from "./slot-values.ts";

/** How often a correction tries: other threads may change or move the key meanwhile. */
const MOST_TRIES = 4096;

/** A call that corrects a take. */
export interface Correction extends KeyCall {
  readonly taken: Taken;
  /** How a reset of each limit of the key would be in the log. */
  readonly resetHashes: readonly number[];
  /** For each limit, what this call has yet to correct. */
  readonly left: number[];
}

/**
 * Corrects takes from the keys of one plan, in the live rows that count them. These may belong to other plans: a
 * correction moves no key to other numbers. Only a key that another thread has begun to move comes to this plan first.
 */
export class KeyCorrections {
  readonly #own: RelatedKeys;
  readonly #plan: SharedPlan;
  readonly #store: MovesStore;
  readonly #finishMove: (low: number, high: number) => number;
  /** What one row reports. */
  readonly #report = new Report();

  /** `finishMove` is that of `SharedKeys`. */
  constructor(own: RelatedKeys, store: MovesStore, finishMove: (low: number, high: number) => number) {
    this.#own = own;
    this.#plan = own.plan;
    this.#store = store;
    this.#finishMove = finishMove;
  }

  /** Corrects a take, at the plan's time. Says whether all places were kept. */
  correct(correction: Correction): boolean {
    const { verb, costs, report, at, taken } = correction;
    const { now, compiled } = this.#plan;
    // A key without cells has kept nothing.
    if (VERBS[verb].renews) correctLimits(compiled, () => undefined, VERBS[verb], costs, now, report, at, taken);
    for (let tries = 0; tries < MOST_TRIES; tries += 1) if (this.#try(correction)) break;
    return !VERBS[verb].renews || costs.every((_, i) => report.conforms[at + i]);
  }

  /** False if it has to be tried again, with what is left. */
  #try(correction: Correction): boolean {
    const { low, high } = correction;
    const moves = this.#moves;
    const rows = this.#own.rowsOf(low, high, this.#plan);
    const live = rows.filter(({ kind }) => kind === LIVE);
    const copies = this.#copy(live);
    // Asked after the rows were read: a reset that has changed one is in the log.
    this.#leaveForgotten(correction);
    if (copies === undefined) return correction.left.every((cost) => cost === 0);
    if (!copies.every((copy) => this.#correctIn(copy, correction))) return false;
    const isElsewhere = (place: number) => !live.some(({ keys }) => keys.plan.has(this.#plan.plan.limits[place]!));
    const missing = correction.left.flatMap((cost, place) => (cost > 0 && isElsewhere(place) ? [place] : []));
    if (missing.length === 0) return true;
    const frozen = this.#copy(rows.filter(({ kind }) => kind === FROZEN));
    if (frozen === undefined) return false;
    if (frozen.some((copy) => missing.some((place) => this.#partOf(copy, place) !== undefined)))
      return this.#finishMove(low, high) === NO_SLOT_LEFT;
    // A key that left a slot before it was visited came to another one before, maybe to one that was visited earlier.
    return this.#moves === moves;
  }

  /** A limit that was reset since the take has nothing to correct. */
  #leaveForgotten({ resetHashes, taken, left }: Correction): void {
    const { resets, clears } = this.#store;
    for (const [place, limitHash] of this.#plan.limitHashes.entries()) {
      const isReset = resets.hasReset(resetHashes[place]!, taken.resets);
      if (isReset || clears.hasReset(limitHash, taken.resets)) left[place] = 0;
    }
  }

  /** Copies rows at the time of the call. */
  #copy(rows: readonly Row[]): RowCopy[] | undefined {
    const copies: RowCopy[] = [];
    for (const row of rows) {
      const copy = row.keys.copy(row, this.#plan);
      if (copy === undefined) return undefined;
      copies.push(copy);
    }
    return copies;
  }

  /** Where a row has the limit at a place of this plan; `undefined` if the row does not count it. */
  #partOf({ parts }: RowCopy, place: number): Part | undefined {
    const own = this.#plan.plan.limits[place]!;
    return parts.find(({ kernel }) => isSameLimit(kernel.limit, own));
  }

  /** Corrects what a live row counts. False if another thread has changed the row. */
  #correctIn(copy: RowCopy, { verb, taken, left, report, at }: Correction): boolean {
    const { row, cells } = copy;
    const { values, now } = row.keys.plan;
    const costs = left.map((cost, place) => (this.#partOf(copy, place) === undefined ? 0 : cost));
    if (costs.every((cost) => cost === 0)) return true;
    values.cells.set(cells);
    const find = (limit: Limit): CountedLimit | undefined => {
      const part = this.#partOf(copy, this.#plan.plan.limits.indexOf(limit));
      return part && { kernel: part.kernel, cells: values.cells, at: part.offset };
    };
    correctLimits(this.#plan.compiled, find, VERBS[verb], costs, now, this.#report, 0, taken);
    const isSame = values.cells.every((cell, i) => Object.is(cell, cells[i]));
    const isDone = isSame ? row.keys.confirm(row) : row.keys.plan.publish(row.slot, row.low, row.high) === PUBLISHED;
    if (!isDone) return false;
    for (const [place, cost] of costs.entries()) {
      if (cost === 0) continue;
      left[place] = 0;
      if (VERBS[verb].renews) copyEntry(this.#report, place, report, at + place);
    }
    return true;
  }

  /** How many rows of any keys have gone to other plans. */
  get #moves(): number {
    const { words, atomics } = this.#store.memory;
    return atomics.load(words, MOVES_AT);
  }
}

function copyEntry(from: Report, entry: number, to: Report, at: number): void {
  to.conforms[at] = from.conforms[entry]!;
  to.used[at] = from.used[entry]!;
  to.waitUs[at] = from.waitUs[entry]!;
  to.usedAfterWait[at] = from.usedAfterWait[entry]!;
  to.resetUs[at] = from.resetUs[entry]!;
  to.untilUs[at] = from.untilUs[entry]!;
}
