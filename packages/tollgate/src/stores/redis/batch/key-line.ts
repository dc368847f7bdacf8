/** The most steps of one key that are in flight, about a millisecond. The rest waits, so that other keys go first. */
const MOST_STEPS = 1_000;

/** What a line has to know of work. */
export interface LinedUp {
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
  /** How often a correction, such as a refund, was asked for or answered. Denials from before it are not cached. */
  corrections = 0;
  /** Work that was not sent, in order. */
  works: Work[] = [];

  /** If the server may change the order of batches, no work is sent before the answer to the work before it. */
  constructor(name: string, order: "kept" | "any" = "kept") {
    this.name = name;
    this.#mostSteps = order === "kept" ? MOST_STEPS : 1;
  }

  /** The work that may be sent next. */
  get next(): Work | undefined {
    const [first] = this.works;
    const most = first?.comesLast === true ? 1 : this.#mostSteps;
    return this.steps < most ? first : undefined;
  }

  /** The newest work. Identical calls join it until it is sent. */
  get last(): Work | undefined {
    return this.works[this.works.length - 1];
  }

  /** @returns whether the work may be sent next. */
  push(work: Work): boolean {
    // Nearly all lines have one work. A list that grows has room for 16 more.
    if (this.works.length === 0) this.works = [work];
    else this.works.push(work);
    return this.next === work;
  }
}
