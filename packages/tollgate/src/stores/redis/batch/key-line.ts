/** So many steps of one key are under way at a time, about a millisecond: the rest waits, and identical calls join meanwhile. */
const MOST_STEPS = 1_000;

/** Work on one key, in its order. */
export class KeyLine<Work> {
  readonly name: string;
  /** Calls without an answer. */
  pending = 0;
  /** The work that came last: identical calls join it until it goes out. */
  last: Work | undefined;
  #first: Work | undefined;
  /** Behind the first: nothing, for nearly all keys. */
  #others: Set<Work> | undefined;
  /** Steps that are under way. */
  #steps = 0;
  /** Work that has gone out in part: what came after it waits until it is done. */
  #unfinished: Work | undefined;

  constructor(name: string) {
    this.name = name;
  }

  /** What may go out next. */
  get next(): Work | undefined {
    return this.#steps >= MOST_STEPS ? undefined : (this.#unfinished ?? this.#first);
  }

  get hasWaiting(): boolean {
    return this.#first !== undefined || this.#unfinished !== undefined;
  }

  get isIdle(): boolean {
    return this.#steps === 0 && !this.hasWaiting;
  }

  /** How many steps more may go out. */
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

  /** All that waits, the oldest first. */
  *waiting(): Generator<Work> {
    if (this.#unfinished !== undefined) yield this.#unfinished;
    if (this.#first !== undefined) yield this.#first;
    if (this.#others !== undefined) yield* this.#others;
  }

  /** The work has gone out, or was given up. */
  remove(work: Work): void {
    if (this.#unfinished === work) this.#unfinished = undefined;
    if (this.#first !== work) this.#others?.delete(work);
    else this.#advance();
  }

  sent(steps: number): void {
    this.#steps += steps;
  }

  /** The answer came, or will not come. */
  returned(steps: number): void {
    this.#steps -= steps;
  }

  /** Lets nothing pass until the rest of this work is done. */
  holdFor(work: Work): void {
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
