import type { Clock } from "../../core/clock.ts";
import { TollgateError } from "../../core/errors.ts";
import { Line } from "./line.ts";
import type { KeyLine, KeyLines } from "./waiter.ts";

/** All lines together hold so many times as many calls as one. */
const LINES_PER_LIMITER = 10;

/** The options of `createLimiter` that concern calls that wait. */
export interface LineOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly maxWaiting: number;
  readonly barging: boolean;
}

/** The lines of a limiter, one for each key for which calls wait. */
export class Lines implements KeyLines {
  readonly limiter: string;
  readonly clock: Clock;
  /** How many calls wait in one line at most. */
  readonly maxWaiting: number;
  /** Whether calls that do not wait may be served before those that do. */
  readonly barging: boolean;
  /** The greatest order of its calls. */
  lastOrder = 0;
  /** Called when the last line ends. */
  onEmpty: () => void = () => {};
  isClosed = false;
  /** Whether calls wait. */
  some = false;
  /** How many calls wait in all lines. */
  #total = 0;
  readonly #lines = new Map<string, Line>();

  constructor({ name, clock, maxWaiting, barging }: LineOptions) {
    this.limiter = name;
    this.clock = clock;
    this.maxWaiting = maxWaiting;
    this.barging = barging;
  }

  /** How many calls wait for their turn. A call that is asked for at once counts until it is decided. */
  get waiting(): number {
    return this.#total;
  }

  /** The line of a key, if calls wait for it. */
  find(key: string): Line | undefined {
    return this.#lines.size === 0 ? undefined : this.#lines.get(key);
  }

  open(key: string): Line {
    const known = this.#lines.get(key);
    if (known !== undefined) return known;
    const line = new Line(this, key);
    this.#lines.set(key, line);
    this.some = true;
    return line;
  }

  /** Whether one more call may wait in a line. */
  hasRoomIn({ length }: KeyLine): boolean {
    return length < this.maxWaiting && this.#total < this.maxWaiting * LINES_PER_LIMITER;
  }

  isOverfull({ length }: KeyLine): boolean {
    return length > this.maxWaiting || this.#total > this.maxWaiting * LINES_PER_LIMITER;
  }

  count(change: number): void {
    this.#total += change;
  }

  remove(line: KeyLine): void {
    if (!this.#lines.delete(line.key) || this.#lines.size > 0) return;
    this.some = false;
    this.onEmpty();
  }

  /** Counts of all keys were forgotten: each head may be served now. */
  serveAll(): void {
    for (const line of [...this.#lines.values()]) line.changed();
  }

  /** Ends every wait with an error. */
  close(): void {
    this.isClosed = true;
    for (const line of [...this.#lines.values()]) {
      line.endAll();
    }
  }

  closedError(): TollgateError {
    return new TollgateError("ERR_CLOSED", "wait: expected an open limiter, got one that was closed");
  }
}
