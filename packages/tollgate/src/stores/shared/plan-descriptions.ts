import ALGORITHMS from "../../algorithms/limits/limits.ts";
import { TollgateError } from "../../core/errors.ts";
import type { Limit } from "../../core/limits/limit.ts";
import { sealLimit } from "../../core/limits/limit-common.ts";
import { createPlan, type Plan } from "../../core/plan.ts";
import {
  DESCRIPTION_ROW,
  DESCRIPTIONS_AT,
  MOST_DESCRIPTIONS,
  TEXT_END_AT,
  TEXT_WORDS,
  TEXTS_AT,
} from "./memory-layout.ts";
import { readText, textWords, writeText } from "./packed-text.ts";
import type { SharedMemory } from "./shared-memory.ts";

/** The text of a description. Names are part of it, so plans of other threads are read whole. */
interface Text {
  readonly scope: string;
  readonly limits: readonly Limit[];
}

/** What `PlanDescriptions` does. */
export type Descriptions = Pick<PlanDescriptions, keyof PlanDescriptions>;

/**
 * The plans whose counts carry over, described in shared memory. So a thread can read what a key has used under a plan
 * that another thread made. A description appears by one swap, complete, and stays.
 */
export class PlanDescriptions {
  /** How often descriptions were removed: never, in memory that threads share. */
  readonly version: number = 0;
  readonly #memory: SharedMemory;
  /** The plans of the descriptions that this thread has read. */
  readonly #read: Plan[] = [];
  readonly #numbers = new Set<number>();

  constructor(memory: SharedMemory) {
    this.#memory = memory;
  }

  /** All plans that are described by now, oldest first. A list that grows. */
  get all(): readonly Plan[] {
    const { words, atomics } = this.#memory;
    while (this.#read.length < MOST_DESCRIPTIONS) {
      const row = DESCRIPTIONS_AT + this.#read.length * DESCRIPTION_ROW;
      const number = atomics.load(words, row) - 1;
      if (number < 0) break;
      this.#numbers.add(number);
      this.#read.push(this.#planAt(words[row + 1]!));
    }
    return this.#read;
  }

  /**
   * Describes a plan, unless it is described. A thread does so before it inserts a key of the plan.
   *
   * @throws TollgateError `ERR_LIMITS` if there is no space for another description.
   */
  add(number: number, { scope, limits }: Plan): void {
    if (this.#has(number)) return;
    const textAt = this.#write(JSON.stringify({ scope, limits }));
    while (!this.#has(number)) {
      if (textAt === undefined || this.#read.length === MOST_DESCRIPTIONS) throw tooManyError();
      const row = DESCRIPTIONS_AT + this.#read.length * DESCRIPTION_ROW;
      this.#memory.swap(row, 0, 0, number + 1, textAt);
    }
  }

  #has(number: number): boolean {
    return this.all.length > 0 && this.#numbers.has(number);
  }

  /** Writes a text where no other thread writes. */
  #write(text: string): number | undefined {
    const { words, atomics } = this.#memory;
    const length = textWords(text);
    // Only a thread that finds space takes it: others may have shorter texts.
    if (words[TEXT_END_AT]! + length > TEXT_WORDS) return undefined;
    const at = atomics.add(words, TEXT_END_AT, length);
    if (at + length > TEXT_WORDS) return undefined;
    writeText(words, TEXTS_AT + at, text);
    return at;
  }

  #planAt(textAt: number): Plan {
    const { scope, limits } = JSON.parse(readText(this.#memory.words, TEXTS_AT + textAt)) as Text;
    return createPlan(
      scope,
      scope,
      limits.map((limit) => sealLimit(limit.name, ALGORITHMS[limit.algorithm], limit)),
      "carry-over",
    );
  }
}

function tooManyError(): TollgateError {
  return new TollgateError(
    "ERR_LIMITS",
    `limits: expected at most ${MOST_DESCRIPTIONS} lists of limits whose counts carry over in one shared store, ` +
      `or ${TEXT_WORDS * 4} bytes that describe them, got another; choose among fixed lists, ` +
      'or pass onChange: "separate"',
  );
}
