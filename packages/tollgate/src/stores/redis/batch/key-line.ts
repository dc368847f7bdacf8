/**
 * The most steps of one key that are in flight, about a millisecond. The rest waits, and identical calls join
 * meanwhile.
 */
export const MOST_STEPS = 1_000;

/** What a line has to know of work. */
export interface LinedUp {
  /** Whether a slice of it is in flight. */
  readonly isUnderWay: boolean;
  /** Whether it waits for the answers to all work before it. */
  readonly comesLast: boolean;
}

/** The queue of work for one key, in order. */
export class KeyLine<Work extends LinedUp> {
  readonly name: string;
  readonly #mostSteps: number;
  /** Calls without an answer. */
  pending = 0;
  /** Steps in flight. */
  steps = 0;
  /** Work that was sent in part stays the first. */
  #first: Work | undefined;
  /** Work behind the first; `undefined` for nearly all keys. */
  #others: Work[] | undefined;

  /** With at most one step no work is sent before the answer to the work before it. */
  constructor(name: string, mostSteps: number = MOST_STEPS) {
    this.name = name;
    this.#mostSteps = mostSteps;
  }

  /** The work that may be sent next. */
  get next(): Work | undefined {
    const first = this.#first;
    if (first === undefined || first.isUnderWay || this.steps >= this.#mostSteps) return undefined;
    return first.comesLast && this.steps > 0 ? undefined : first;
  }

  /** The newest work. Identical calls join it until it is sent. */
  get last(): Work | undefined {
    return this.#others?.at(-1) ?? this.#first;
  }

  get isIdle(): boolean {
    return this.pending === 0 && this.steps === 0 && this.#first === undefined;
  }

  push(work: Work): void {
    if (this.#first === undefined) this.#first = work;
    else {
      this.#others ??= [];
      this.#others.push(work);
    }
  }

  /** Removes the first work, all of which was sent or failed. */
  remove(work: Work): void {
    if (this.#first === work) this.#first = this.#others?.shift();
  }
}
