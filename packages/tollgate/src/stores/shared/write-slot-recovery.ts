import { systemClock } from "../../core/clock.ts";
import type { Desks } from "./write-slots.ts";

/** So long after a look comes the next. */
const MS_BETWEEN_LOOKS = 10_000;
/** Who has not moved since so many looks is dead: more than one, in case the whole process stood still between two. */
const LOOKS_TO_BE_SURE = 2;
/** When so many desks were passed by, some of their threads may be dead. */
const MANY_PASSED = 16;
/** While desks are suspected, every so many calls it is seen whether the next look is due. */
const CALLS_PER_CHECK = 64;

const UNSURE = -1;

/** An occupied desk, and at how many looks it was the same. */
interface Suspect {
  readonly phase: number;
  readonly looks: number;
}

/**
 * Frees desks whose threads died there: who has not moved for twenty seconds, as a call takes microseconds. (A thread that is stopped in the
 * middle of a call for longer, as by a debugger, and goes on would write into a block that is another's by then.)
 *
 * The dead had two blocks in hand, its own and the one that it would get for it: if one of them is named by a slot, or belongs to a desk where
 * nobody is, it has published its own or has not, and the other one is its desk's. Until one of them is seen there nothing is done.
 */
export class DeskRecovery {
  readonly #desks: Desks;
  /** Marks every block that a slot names. */
  readonly #markNamed: (marks: Uint8Array) => void;
  readonly #blocks: number;
  #lookedMs = Number.NEGATIVE_INFINITY;
  /** The desks that were occupied at the last look. */
  #suspects = new Map<number, Suspect>();
  #callsUntilCheck = CALLS_PER_CHECK;

  constructor(desks: Desks, blocks: number, markNamed: (marks: Uint8Array) => void) {
    this.#desks = desks;
    this.#blocks = blocks;
    this.#markNamed = markNamed;
  }

  /** For each call that needs a desk: looks at all of them if there is a reason, and the last look was long enough ago. */
  lookIfDue(foundNone: boolean): void {
    this.#callsUntilCheck -= 1;
    const mayBeDue = this.#desks.passed >= MANY_PASSED || this.#suspects.size > 0;
    if (foundNone || (mayBeDue && this.#callsUntilCheck <= 0)) this.#look();
  }

  #look(): void {
    this.#callsUntilCheck = CALLS_PER_CHECK;
    const nowMs = systemClock.now();
    if (Math.abs(nowMs - this.#lookedMs) < MS_BETWEEN_LOOKS) return;
    this.#lookedMs = nowMs;
    this.#desks.passed = 0;
    const before = this.#suspects;
    this.#suspects = new Map();
    for (const desk of this.#desks.occupied()) {
      const phase = this.#desks.phaseOf(desk);
      const earlier = before.get(desk);
      this.#suspects.set(desk, { phase, looks: earlier?.phase === phase ? earlier.looks + 1 : 0 });
    }
    const dead = [...this.#suspects].filter(([, { looks }]) => looks >= LOOKS_TO_BE_SURE);
    if (dead.length > 0) this.#freeAll(dead);
  }

  #freeAll(dead: readonly (readonly [desk: number, suspect: Suspect])[]): void {
    const elsewhere = new Uint8Array(this.#blocks);
    this.#markNamed(elsewhere);
    this.#desks.markIdle(elsewhere);
    for (const [desk, { phase }] of dead) {
      const block = this.#blockOf(desk, elsewhere);
      if (block !== UNSURE) this.#desks.free(desk, phase, block);
    }
  }

  #blockOf(desk: number, elsewhere: Uint8Array): number {
    const own = this.#desks.blockAt(desk);
    const next = this.#desks.nextAt(desk);
    // It had not begun to publish, or was done with it.
    if (next < 0 || next === own) return own;
    const isPublished = elsewhere[own] === 1;
    if (isPublished === (elsewhere[next] === 1)) return UNSURE;
    return isPublished ? next : own;
  }
}
