/**
 * The most steps of one key that are in flight, about a millisecond. The rest waits, and identical calls join
 * meanwhile.
 */
const MOST_STEPS = 1_000;

/** The queue of work for one key, in order. */
export class KeyLine<Work> {
  readonly name: string;
  /** Calls without an answer. */
  pending = 0;
  /** The newest work. Identical calls join it until it is sent. */
  last: Work | undefined;
  #first: Work | undefined;
  /** Work behind the first; `undefined` for nearly all keys. */
  #others: Set<Work> | undefined;
  /** Steps in flight. */
  #steps = 0;
  /** Work that was sent in part. Later work waits until it is done. */
  #unfinished: Work | undefined;

  constructor(name: string) {
    this.name = name;
  }

  /** The work that may be sent next. */
  get next(): Work | undefined {
    return this.#steps >= MOST_STEPS ? undefined : (this.#unfinished ?? this.#first);
  }

  get hasWaiting(): boolean {
    return this.#first !== undefined || this.#unfinished !== undefined;
  }

  get isIdle(): boolean {
    return this.#steps === 0 && !this.hasWaiting;
  }

  /** How many more steps may be sent. */
  get stepsLeft(): number {
    return MOST_STEPS - this.#steps;
  }

  push(work: Work): void {
    this.last = work;
    if (this.#first === undefined) {
      this.#first = work;
      return;
    }
    this.#others ??= new Set();
    this.#others.add(work);
  }

  /** All waiting work, the oldest first. */
  *waiting(): Generator<Work> {
    if (this.#unfinished !== undefined) yield this.#unfinished;
    if (this.#first !== undefined) yield this.#first;
    if (this.#others !== undefined) yield* this.#others;
  }

  /** Removes work that was sent or failed. */
  remove(work: Work): void {
    if (this.#unfinished === work) this.#unfinished = undefined;
    if (this.last === work) this.last = undefined;
    if (this.#first !== work) this.#others?.delete(work);
    else this.#advance();
  }

  sent(steps: number): void {
    this.#steps += steps;
  }

  /** Counts steps that were answered, or never will be. */
  returned(steps: number): void {
    this.#steps -= steps;
  }

  /** Lets nothing pass until the rest of this work is done. */
  blockUntilDone(work: Work): void {
    this.#unfinished = work;
  }

  #advance(): void {
    this.#first = undefined;
    for (const work of this.#others ?? []) {
      this.#first = work;
      this.#others?.delete(work);
      return;
    }
  }
}

/** How many more steps all these lines allow. */
export function leastLeft(lines: readonly Pick<KeyLine<unknown>, "stepsLeft">[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const { stepsLeft } of lines) least = Math.min(least, stepsLeft);
  return least;
}
