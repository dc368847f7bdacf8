import { systemClock } from "../../core/clock.ts";
import type { WriteSlots } from "./write-slots.ts";

const MS_BETWEEN_CHECKS = 10_000;
/**
 * A thread whose write slot is the same at this many later checks is dead. More than one, in case the whole process was
 * suspended.
 */
const CHECKS_UNTIL_DEAD = 2;
/** After this many skipped write slots, some of their threads may be dead. */
const MANY_SKIPPED = 16;
/** While write slots are suspect, the time is read once in this many calls. */
const CALLS_PER_TIME_CHECK = 64;

const UNKNOWN_BLOCK = -1;

/** An occupied write slot, and at how many later checks it was the same. */
interface Suspect {
  readonly phase: number;
  readonly checks: number;
}

/**
 * Frees the write slots of dead threads. A publication takes microseconds, so a write slot that has not changed for 20
 * seconds belongs to a dead thread. A debugger can suspend a thread in the middle of a call for longer. Such a thread,
 * when it goes on, writes into a block that belongs to another by then.
 *
 * A dead thread had two blocks: its write slot's own, and the one that it would get in exchange. If a key slot or a
 * free write slot has one of them, the other belongs to the dead thread's write slot. Until then the write slot stays
 * occupied.
 */
export class WriteSlotRecovery {
  readonly #writeSlots: WriteSlots;
  /** Marks every block that a key slot has. */
  readonly #markNamed: (marks: Uint8Array) => void;
  readonly #blocks: number;
  #checkedMs = Number.NEGATIVE_INFINITY;
  /** The write slots that were occupied at the last check. */
  #suspects = new Map<number, Suspect>();
  #callsUntilTimeCheck = CALLS_PER_TIME_CHECK;

  constructor(writeSlots: WriteSlots, blocks: number, markNamed: (marks: Uint8Array) => void) {
    this.#writeSlots = writeSlots;
    this.#blocks = blocks;
    this.#markNamed = markNamed;
  }

  /**
   * Runs with each call that needs a write slot: checks all of them if there is a reason and the last check is old
   * enough.
   */
  checkIfDue(foundNone: boolean): void {
    this.#callsUntilTimeCheck -= 1;
    const mayBeDue = this.#writeSlots.skipped >= MANY_SKIPPED || this.#suspects.size > 0;
    if (foundNone || (mayBeDue && this.#callsUntilTimeCheck <= 0)) this.#check();
  }

  #check(): void {
    this.#callsUntilTimeCheck = CALLS_PER_TIME_CHECK;
    const nowMs = systemClock.now();
    if (Math.abs(nowMs - this.#checkedMs) < MS_BETWEEN_CHECKS) return;
    this.#checkedMs = nowMs;
    this.#writeSlots.skipped = 0;
    const before = this.#suspects;
    this.#suspects = new Map();
    for (const writeSlot of this.#writeSlots.occupied()) {
      const phase = this.#writeSlots.phaseOf(writeSlot);
      const earlier = before.get(writeSlot);
      this.#suspects.set(writeSlot, { phase, checks: earlier?.phase === phase ? earlier.checks + 1 : 0 });
    }
    const dead = [...this.#suspects].filter(([, { checks }]) => checks >= CHECKS_UNTIL_DEAD);
    if (dead.length > 0) this.#recoverAll(dead);
  }

  #recoverAll(dead: readonly (readonly [writeSlot: number, suspect: Suspect])[]): void {
    const elsewhere = new Uint8Array(this.#blocks);
    this.#markNamed(elsewhere);
    this.#writeSlots.markFree(elsewhere);
    for (const [writeSlot, { phase }] of dead) {
      const block = this.#blockOf(writeSlot, elsewhere);
      if (block !== UNKNOWN_BLOCK) this.#writeSlots.recover(writeSlot, phase, block);
    }
  }

  /** The block that the dead thread's write slot has to keep. */
  #blockOf(writeSlot: number, elsewhere: Uint8Array): number {
    const own = this.#writeSlots.blockOf(writeSlot);
    const next = this.#writeSlots.nextBlockOf(writeSlot);
    // The thread died before its publication began, or after the write slot had got its new block.
    if (next < 0 || next === own) return own;
    const isPublished = elsewhere[own] === 1;
    if (isPublished === (elsewhere[next] === 1)) return UNKNOWN_BLOCK;
    return isPublished ? next : own;
  }
}
