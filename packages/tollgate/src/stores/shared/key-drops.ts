import { type KeyMoves, MOST_TRIES_TO_MOVE } from "./key-moves.ts";
import type { ResetLog } from "./reset-log.ts";
import type { SharedPlan } from "./shared-plan.ts";
import { NOWHERE, type SharedSlots, STATE } from "./shared-slots.ts";
import type { SlotRange } from "./shared-table.ts";
import { LOST_RACE, type SlotClaims } from "./slot-claims.ts";
import { upperBits } from "./slot-state.ts";
import { COUNTED_ELSEWHERE, PUBLISHED, RETRY, UNCOUNTED } from "./slot-values.ts";

/** Claims a slot for a key: see `SlotClaims.claim`. */
type Claim = (low: number, high: number) => number;

/** Forgets keys of one plan. */
export class KeyDrops {
  readonly #slots: SharedSlots;
  readonly #claims: SlotClaims;
  readonly #moves: KeyMoves | undefined;
  readonly #claim: Claim;
  readonly #plan: SharedPlan;
  readonly #resets: ResetLog;

  constructor(
    { slots, claims }: SlotRange,
    plan: SharedPlan,
    resets: ResetLog,
    moves: KeyMoves | undefined,
    claim: Claim,
  ) {
    this.#plan = plan;
    this.#resets = resets;
    this.#slots = slots;
    this.#claims = claims;
    this.#moves = moves;
    this.#claim = claim;
  }

  /** Whether other plans may have keys of this plan. Then `drop` needs the plan's time. */
  get mayBeElsewhere(): boolean {
    return this.#moves?.former.mayExist ?? false;
  }

  /** Forgets what a key counts under this plan's limits, in rows of relatives as well. */
  drop(low: number, high: number): void {
    const moves = this.#moves;
    let outcome = RETRY;
    for (let tries = 0; outcome === RETRY && tries < MOST_TRIES_TO_MOVE; tries += 1) {
      outcome = moves?.former.mayExist ? moves.drop(low, high, "live rows") : this.#dropHere(low, high);
      if (outcome === COUNTED_ELSEWHERE && moves !== undefined) outcome = this.#dropFrozen(moves, low, high, tries);
    }
  }

  #dropHere(low: number, high: number): number {
    const slot = this.#slots.find(low, high);
    if (slot === NOWHERE) return UNCOUNTED;
    const { words } = this.#slots;
    const stateHigh = this.#slots.upperWord(slot);
    const stateLow = words[slot + STATE]!;
    if (!this.#slots.isOf(slot, low, high, stateHigh)) return RETRY;
    // Once only: a key that is published afterwards belongs to another call. A claim without cells stands for a new
    // key.
    if (upperBits(stateHigh) === 0) return this.#claims.resolveDuplicates(slot, low, high) ? PUBLISHED : RETRY;
    this.#resets.add(this.#plan.resetHashesOf(high));
    return this.#slots.vacate(slot, stateLow, stateHigh) ? PUBLISHED : RETRY;
  }

  /** Forgets a key with frozen rows, as if it moved here and had used nothing. */
  #dropFrozen(moves: KeyMoves, low: number, high: number, tries: number): number {
    const found = this.#slots.find(low, high);
    const slot = found === NOWHERE ? this.#claim(low, high) : found;
    if (slot === NOWHERE) return moves.drop(low, high, "frozen rows, too");
    if (slot === LOST_RACE) return RETRY;
    const stateHigh = this.#slots.upperWord(slot);
    const stateLow = this.#slots.words[slot + STATE]!;
    const isClaim = upperBits(stateHigh) === 0 && this.#slots.isOf(slot, low, high, stateHigh);
    if (!isClaim) moves.freezeOwn(low, high);
    if (!(isClaim && this.#claims.resolveDuplicates(slot, low, high))) return RETRY;
    return moves.settle("forget", slot, low, high, stateLow, stateHigh, tries);
  }
}
