import type { Limit } from "../../core/limits/limit.ts";
import { FormerRows } from "./former-rows.ts";
import { MOVES_AT } from "./memory-layout.ts";
import { areIdle, countsFor, type RelatedKeys, type Row, type RowCopy } from "./related-keys.ts";
import type { ResetLog } from "./reset-log.ts";
import type { SharedMemory } from "./shared-memory.ts";
import type { SharedPlan } from "./shared-plan.ts";
import { CLAIM, FROZEN, LIVE } from "./slot-search.ts";
import { COUNTED_ELSEWHERE, FORGOTTEN, PUBLISHED, RETRY, UNCOUNTED } from "./slot-values.ts";

/** How often a call tries to move a key: threads that call it under different numbers contend for it. */
export const MOST_TRIES_TO_MOVE = 4096;
/** In one of so many tries, the claim of another thread that should go first is taken for a dead thread's. */
const TRIES_TO_WAIT = 4;

/**
 * What happens to a key that other plans count: it comes to this plan, maybe only with the same numbers; it is
 * forgotten; or it stays where it is for the next try to decide.
 */
type Aim = "carry over" | "keep numbers" | "forget" | "look";

/** What moves need of their store. */
export interface MovesStore {
  readonly memory: SharedMemory;
  readonly resets: ResetLog;
  /** The resets of limits of all keys. */
  readonly clears: ResetLog;
  /** Counts idle keys that are forgotten, by a sweep or because another key has got the slot. */
  countSwept(keys: number): void;
}

/** A key's counts have moved from one list of limits to another. */
export interface Move {
  readonly from: readonly Limit[];
  readonly to: readonly Limit[];
}

/**
 * Moves a key to one plan from the plans of the same limiter that have a limit of the same name. Of one limit, at most
 * one live row of a key counts; a frozen row counts what no live row counts (docs/internals/shared-memory.md).
 */
export class KeyMoves {
  readonly former: FormerRows;
  readonly onChange: "carry-over" | "keep-first" | "kept";
  readonly #moved: Move[];
  readonly #own: RelatedKeys;
  readonly #plan: SharedPlan;
  readonly #memory: SharedMemory;
  readonly #resets: ResetLog;

  /**
   * `moved` gets the moves of each call. Keys are `"kept"` in a plan that has
   * the first numbers of keys of another plan.
   */
  constructor(own: RelatedKeys, { memory, resets }: MovesStore, moved: Move[], onChange: KeyMoves["onChange"]) {
    this.onChange = onChange;
    this.former = new FormerRows(own, memory);
    this.#resets = resets;
    this.#own = own;
    this.#moved = moved;
    this.#plan = own.plan;
    this.#memory = memory;
  }

  /**
   * What a call that changes a key aims at, after `FormerRows.find`. A key that keeps its first numbers comes to this
   * plan only if these are its own.
   */
  aimAfter(found: number): Aim {
    if (this.onChange === "carry-over") return "carry over";
    return found === COUNTED_ELSEWHERE ? "keep numbers" : "look";
  }

  /**
   * Takes a step towards having a key in a slot that is claimed for it alone. `UNCOUNTED` if the key is new: then the
   * claim may be published. `RETRY` after any other step.
   *
   * @param tries how many tries the call has taken. In most of them another thread's claim may go first.
   */
  settle(
    what: Aim,
    slot: number,
    low: number,
    high: number,
    stateLow: number,
    stateHigh: number,
    tries: number,
  ): number {
    const mayWait = tries % TRIES_TO_WAIT !== 0;
    const isClaimed = (row: Row) => row.slot === slot && row.keys === this.#own;
    const rows = this.#own.rowsOf(low, high, this.#plan).filter((row) => !isClaimed(row));
    for (const row of rows) if (row.kind === CLAIM && !this.#removeClaim(row, mayWait)) return RETRY;
    const live = rows.find(({ kind }) => kind === LIVE);
    if (live !== undefined) {
      this.#takeOutOfUse(what, live, low, high);
      return RETRY;
    }
    const copies: RowCopy[] = [];
    for (const row of rows) {
      if (row.kind !== FROZEN) continue;
      const copy = this.former.copy(row);
      if (copy === undefined) return RETRY;
      if (countsFor(copy, this.#plan)) copies.push(copy);
    }
    if (copies.length === 0) return UNCOUNTED;
    return what === "forget"
      ? this.#forget(copies, high, slot, stateLow, stateHigh)
      : this.#adopt(what, copies, slot, stateLow, stateHigh);
  }

  /** Freezes the live row of a key under this plan, so that the key may move to another slot. */
  freezeOwn(low: number, high: number): void {
    const rows = this.#own.rowsOf(low, high, this.#plan);
    const own = rows.find(({ keys, kind }) => keys === this.#own && kind === LIVE);
    if (own !== undefined) this.#takeOutOfUse("forget", own, low, high);
  }

  /**
   * Drops the live rows of a key: `PUBLISHED`, or `UNCOUNTED` if it has none. `COUNTED_ELSEWHERE` if only frozen rows
   * count it: those may be on their way to a claimed slot.
   */
  drop(low: number, high: number, what: "live rows" | "frozen rows, too"): number {
    const moves = this.former.moves;
    const rows = this.#own.rowsOf(low, high, this.#plan).filter(({ kind }) => kind !== CLAIM);
    const live = rows.filter(({ kind }) => kind === LIVE);
    if (live.some((row) => !this.#clearBelow(row, low, high))) return RETRY;
    for (const row of rows) {
      if (row.kind !== FROZEN) continue;
      const copy = this.former.copy(row);
      if (copy === undefined) return RETRY;
      if (!countsFor(copy, this.#plan)) continue;
      if (what === "live rows") return COUNTED_ELSEWHERE;
      this.#resets.add(this.#plan.resetHashesOf(high));
      this.#writeOff(copy, this.#plan);
    }
    // Once only: a key that is published afterwards belongs to another call.
    if (live.length > 0) return live.every((row) => this.#dropLive(row, low, high)) ? PUBLISHED : RETRY;
    return this.former.moves === moves ? UNCOUNTED : RETRY;
  }

  /** Forgets what a live row counts under limits of this plan. False if another thread has changed the row. */
  #dropLive(row: Row, low: number, high: number): boolean {
    const { keys } = row;
    const isWhole = keys.plan.plan.limits.every((limit) => this.#plan.has(limit));
    const copy = isWhole ? undefined : this.former.copy(row);
    if (copy === undefined && !isWhole) return false;
    if (copy !== undefined && !countsFor(copy, this.#plan)) return true;
    // A row that is frozen needs another slot. Without one it stays, with what a new key has.
    const stays = copy !== undefined && !keys.hasSlotFor(low, high, this.#plan);
    this.#resets.add(this.#plan.resetHashesOf(high));
    // Plans look for frozen rows if another may have keys.
    if (!isWhole) this.#plan.markInserted();
    return copy === undefined ? keys.vacate(row) : keys.writeOff(copy, this.#plan, this.#plan.now, stays);
  }

  /** Publishes a key that has used nothing, so that no frozen row counts this plan's limits any more, and drops it. */
  #forget(copies: readonly RowCopy[], high: number, slot: number, stateLow: number, stateHigh: number): number {
    const plan = this.#plan;
    const { compiled, values, now } = plan;
    compiled.init(values.cells, 0, now);
    // A slot itself has no space for a bucket that was full at all times.
    if (values.cells[0] === Number.NEGATIVE_INFINITY) values.cells[0] = compiled.ticks?.at(now[0]!) ?? values.cells[0];
    this.#resets.add(this.#plan.resetHashesOf(high));
    const outcome = plan.publish(slot, stateLow, stateHigh);
    if (outcome !== PUBLISHED) return outcome;
    const { published } = values;
    const own = { slot, low: published[0]!, high: published[1]! };
    for (const copy of copies) this.#writeOff(copy, plan);
    this.#own.vacate(own);
    return PUBLISHED;
  }

  /**
   * The plan that goes first is another one after each move, so that no plan keeps the key from the others.
   *
   * A thread that publishes removes the claims that others have on the key under other plans. Of two threads, at least
   * one sees the other's claim, as in `SlotClaims.resolveDuplicates`.
   */
  #removeClaim(row: Row, mayWait: boolean): boolean {
    const goesFirst = row.keys.plan.number < this.#plan.number === ((this.former.moves & 1) === 0);
    return !(mayWait && goesFirst) && (row.keys === this.#own || row.keys.vacate(row));
  }

  /** Freezes a live row. An idle one is forgotten. */
  #takeOutOfUse(what: Aim, live: Row, low: number, high: number): void {
    if (!this.#clearBelow(live, low, high)) return;
    const copy = this.former.copy(live);
    if (copy === undefined) return;
    if (areIdle(copy, this.#plan.now)) live.keys.vacate(live);
    else if (what !== "look") live.keys.freeze(live);
  }

  /**
   * Ensures that no frozen row has what a live one counts, before that one goes: a thread may have died after it moved
   * the key from there. Otherwise two frozen rows could count one limit.
   *
   * @returns whether nothing had to be done.
   */
  #clearBelow(live: Row, low: number, high: number): boolean {
    const { plan } = live.keys;
    for (const row of live.keys.rowsOf(low, high, this.#plan)) {
      if (row.kind !== FROZEN || (row.slot === live.slot && row.keys === live.keys)) continue;
      const copy = this.former.copy(row);
      if (copy !== undefined && !countsFor(copy, plan)) continue;
      // The live row counted when the frozen one was found, so that one did not.
      if (copy !== undefined && live.keys.isStillLive(live)) this.#writeOff(copy, plan);
      return false;
    }
    return true;
  }

  /** Publishes what frozen rows count in the claimed slot, and writes it off there. */
  #adopt(what: Aim, copies: readonly RowCopy[], slot: number, stateLow: number, stateHigh: number): number {
    const plan = this.#plan;
    const counting = copies.filter((copy) => !areIdle(copy, plan.now));
    // Other threads may have forgotten the key and counted it under other numbers, since it was found.
    if (what !== "carry over" && this.former.firstPlan(counting) !== undefined) return RETRY;
    this.former.carryOver(counting);
    if (!copies.every(({ row }) => row.keys.confirm(row))) return RETRY;
    // If nothing counts, the key is forgotten.
    const isForgotten = plan.compiled.isIdle(plan.values.cells, 0, plan.now);
    const outcome = isForgotten ? FORGOTTEN : plan.publish(slot, stateLow, stateHigh);
    if (outcome !== PUBLISHED && outcome !== FORGOTTEN) return outcome;
    for (const copy of copies) this.#writeOff(copy, plan);
    if (outcome === FORGOTTEN) return FORGOTTEN;
    for (const { row } of counting) this.#moved.push({ from: row.keys.plan.plan.limits, to: plan.plan.limits });
    return RETRY;
  }

  #writeOff(copy: RowCopy, counted: SharedPlan): void {
    this.#countMove();
    copy.row.keys.writeOff(copy, counted, this.#plan.now);
  }

  /** Before a row goes. A search that has missed the key begins anew. */
  #countMove(): void {
    this.#memory.atomics.add(this.#memory.words, MOVES_AT, 1);
  }
}
