import type { Clock } from "../../core/clock.ts";
import { Report } from "../../core/report.ts";
import { VERBS } from "../../core/verbs.ts";
import type { FormerRows } from "./former-rows.ts";
import { KeyCorrections } from "./key-corrections.ts";
import { KeyDrops } from "./key-drops.ts";
import { type KeyMoves, MOST_TRIES_TO_MOVE, type MovesStore } from "./key-moves.ts";
import type { RelatedKeys } from "./related-keys.ts";
import { Revocation } from "./revocation.ts";
import type { KeyCall, SharedPlan } from "./shared-plan.ts";
import { NOWHERE, type SharedSlots, STATE } from "./shared-slots.ts";
import type { SlotRange } from "./shared-table.ts";
import { type IsIdle, LOST_RACE, MOST_TRIES, type SlotClaims } from "./slot-claims.ts";
import { upperBits } from "./slot-state.ts";
import {
  ADMITTED,
  COUNTED_ELSEWHERE,
  DENIED,
  FORGOTTEN,
  NO_SLOT_LEFT,
  PUBLISHED,
  RETRY,
  UNCOUNTED,
} from "./slot-values.ts";
import type { RevokingKeys, Taking } from "./taking.ts";

/** The keys of the plan with the first numbers of the key that `former` has found; `undefined` if it keeps none. */
export type KeptKeys = (former: FormerRows) => SharedKeys | undefined;

/**
 * One plan's keys in a part of a table. A thread decides a call on a copy of the key's cells, and publishes the copy if
 * no other thread has published meanwhile. Otherwise it decides the call anew. So no call waits for another.
 */
export class SharedKeys implements RevokingKeys {
  readonly slots: SharedSlots;
  readonly drops: KeyDrops;
  readonly corrections: KeyCorrections;
  readonly #claims: SlotClaims;
  readonly #plan: SharedPlan;
  readonly #moves: KeyMoves | undefined;
  readonly #keptKeys: KeptKeys;
  readonly #store: MovesStore;
  readonly #revocation: Revocation;
  readonly #nothing: readonly number[];
  readonly #unread = new Report();
  #tries = 0;
  /** Set while a call is decided for a plan that found the key here: then it must not be inserted as a new one. */
  #mustBeCounted = false;
  readonly #isIdle: IsIdle = (slot, low, high) => this.#plan.isSlotIdle(this.slots.planOf(slot), slot, low, high);

  /** Without `moves`, the plan has its own counts. */
  constructor(range: SlotRange, own: RelatedKeys, store: MovesStore, moves: KeyMoves | undefined, keptKeys: KeptKeys) {
    const { slots, claims } = range;
    const { plan } = own;
    this.slots = slots;
    this.#claims = claims;
    this.#plan = plan;
    this.#moves = moves;
    this.#keptKeys = keptKeys;
    this.#store = store;
    this.#nothing = plan.plan.limits.map(() => 0);
    this.drops = new KeyDrops(range, plan, store.resets, moves, (low, high) => this.#claim(low, high));
    this.corrections = new KeyCorrections(own, store, (low, high) => this.#finishMove(low, high));
    this.#revocation = new Revocation(slots, plan);
  }

  /** Decides a call at the plan's time. */
  decide(call: KeyCall): number {
    const mostTries = this.#moves === undefined ? MOST_TRIES : MOST_TRIES_TO_MOVE;
    this.#tries = 0;
    while (this.#tries < mostTries) {
      const slot = this.slots.find(call.low, call.high);
      const outcome = slot === NOWHERE ? this.#decideAbsent(NOWHERE, 0, 0, call) : this.#decideAt(slot, call);
      if (outcome !== RETRY) return outcome;
    }
    return NO_SLOT_LEFT;
  }

  /** Ends a move of a key that another thread has begun. `NO_SLOT_LEFT` if there is no slot for it here. */
  #finishMove(low: number, high: number): number {
    this.#mustBeCounted = true;
    try {
      return this.decide({ low, high, verb: "refund", costs: this.#nothing, report: this.#unread, at: 0 });
    } finally {
      this.#mustBeCounted = false;
    }
  }

  #claim(low: number, high: number): number {
    this.#plan.markInserted();
    const slot = this.#claims.claim(low, high, this.#plan.number, this.#isIdle);
    if (slot >= 0 && this.#claims.tookIdleKey) this.#store.countSwept(1);
    return slot;
  }

  /** For a key without cells here. The slot, which has this state, is claimed for it, or `NOWHERE`. */
  #decideAbsent(slot: number, stateLow: number, stateHigh: number, call: KeyCall): number {
    const { low, high, verb } = call;
    this.#tries += 1;
    // The key may live in another slot, behind a claim.
    if (slot !== NOWHERE && !this.#claims.resolveDuplicates(slot, low, high)) return RETRY;
    const where = this.#findElsewhere(low, high);
    if (where === RETRY || (where === UNCOUNTED && this.#mustBeCounted)) return where;
    const first = where === COUNTED_ELSEWHERE && this.#moves ? this.#keptKeys(this.#moves.former) : undefined;
    if (first !== undefined) return this.#decideKept(first, call);
    if (slot === NOWHERE) return this.#decideNew(call, where);
    if (!VERBS[verb].changes) return this.#report(where, call);
    const settled = this.#settle(where, slot, stateLow, stateHigh, low, high);
    if (settled !== UNCOUNTED || this.#mustBeCounted) return settled;
    return this.#finish("new", slot, stateLow, stateHigh, call);
  }

  #findElsewhere(low: number, high: number): number {
    const moves = this.#moves;
    if (!moves?.former.mayExist) return UNCOUNTED;
    const found = moves.former.find(low, high);
    if (found !== COUNTED_ELSEWHERE || moves.onChange !== "kept" || moves.former.firstPlan() === undefined)
      return found;
    // The key was forgotten, and is counted under other numbers.
    this.#mustBeCounted = true;
    return UNCOUNTED;
  }

  /** Takes a step towards having a key in the slot that is claimed for it alone: see `KeyMoves.settle`. */
  #settle(where: number, slot: number, stateLow: number, stateHigh: number, low: number, high: number): number {
    const moves = this.#moves;
    // Asked after the claim is certain: of two plans that get their first keys, at least one sees the other's.
    if (!moves?.former.mayExist) return UNCOUNTED;
    const settled = moves.settle(moves.aimAfter(where), slot, low, high, stateLow, stateHigh, this.#tries);
    if (settled !== FORGOTTEN) return settled;
    this.#mustBeCounted = false;
    return RETRY;
  }

  /**
   * Decides a call on a key without a slot. Claims a slot if the key's cells have to be kept; then the call is decided
   * there.
   */
  #decideNew(call: KeyCall, where: number): number {
    const { low, high } = call;
    const outcome = this.#report(where, call);
    const hasChanged = where === COUNTED_ELSEWHERE ? VERBS[call.verb].changes : this.#plan.hasChanged;
    const slot = hasChanged ? this.#claim(low, high) : this.#claims.findClaimable(low, high, this.#isIdle);
    if (slot === NOWHERE) return NO_SLOT_LEFT;
    return hasChanged || slot === LOST_RACE ? RETRY : outcome;
  }

  /** Decides a call on what the key would have here, and keeps nothing. */
  #report(where: number, call: KeyCall): number {
    const isElsewhere = where === COUNTED_ELSEWHERE;
    if (isElsewhere) this.#moves?.former.preview();
    const admitted = this.#plan.run(isElsewhere ? "known" : "new", call);
    if (isElsewhere && this.#moves?.former.confirm() === false) return RETRY;
    if (isElsewhere && !VERBS[call.verb].changes) noteViews(call);
    return admitted ? ADMITTED : DENIED;
  }

  /** Decides a call under the numbers under which the key was counted first. */
  #decideKept(first: SharedKeys, call: KeyCall): number {
    const own = this.#plan.fingerprints;
    const { plan, fingerprints } = first.#plan;
    const low = call.low ^ own.planLow ^ fingerprints.planLow;
    const high = call.high ^ own.planHigh ^ fingerprints.planHigh;
    const outcome = first.#decideCounted(this.#plan, { ...call, low, high });
    if (outcome >= RETRY) return outcome;
    for (const [i, limit] of plan.limits.entries()) call.report.keptLimits[call.at + i] = limit;
    noteViews(call);
    return outcome;
  }

  /** Decides a call of another plan that found the key here: `RETRY` if it was forgotten meanwhile. */
  #decideCounted({ now, taking }: SharedPlan, call: KeyCall): number {
    this.#plan.setTime(now[0]!);
    this.#plan.taking = taking;
    this.#mustBeCounted = true;
    try {
      const outcome = this.decide(call);
      return outcome === UNCOUNTED ? RETRY : outcome;
    } finally {
      this.#mustBeCounted = false;
      this.#plan.taking = undefined;
    }
  }

  #decideAt(slot: number, call: KeyCall): number {
    const stateHigh = this.slots.upperWord(slot);
    const stateLow = this.slots.words[slot + STATE]!;
    if (!this.slots.isOf(slot, call.low, call.high, stateHigh)) return RETRY;
    if (upperBits(stateHigh) === 0) return this.#decideAbsent(slot, stateLow, stateHigh, call);
    this.#plan.values.read(slot, stateLow, stateHigh);
    return this.#finish("known", slot, stateLow, stateHigh, call);
  }

  /** Decides a call on the copy of a slot's cells, and publishes it if it has changed. */
  #finish(key: "known" | "new", slot: number, stateLow: number, stateHigh: number, call: KeyCall): number {
    const plan = this.#plan;
    // After the state: a later reset that forgets what is published is not among these.
    call.report.resets = this.#store.resets.count;
    const outcome = plan.run(key, call) ? ADMITTED : DENIED;
    if (!plan.hasChanged) return plan.values.confirm(slot, stateLow, stateHigh) ? outcome : RETRY;
    const published = plan.publish(slot, stateLow, stateHigh);
    if (published !== PUBLISHED) return published;
    plan.taking?.noteAfter(this, slot, plan.values);
    return outcome;
  }

  revoke(taking: Taking, clock: Clock): void {
    this.#revocation.revoke(taking, clock);
  }
}

/** The key is counted under other numbers, of which the entries are views. */
function noteViews({ report, at, costs }: KeyCall): void {
  for (let i = 0; i < costs.length; i += 1) report.isView[at + i] = true;
}
