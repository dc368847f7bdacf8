/** What a line may be late by: servers log a request when it ends, and several of them write one file. */
export const MOST_LATE_US = 5_000_000;
/** A single line that is further ahead of both its neighbours had a wrong clock. */
const MOST_AHEAD_US = 3_600_000_000;

/** What has a time, which is set to the one that counts. */
interface Timed {
  timeUs: number;
}

/** Puts requests in the order of their times. A request that comes later than that counts at the time reached then. */
export class InOrder<Request extends Timed> {
  /** How many requests came too late, or far too early. */
  late = 0;
  readonly #take: (request: Request) => void;
  #waiting: Request[] = [];
  #isSorted = true;
  #newestUs = Number.NEGATIVE_INFINITY;
  #reachedUs = Number.NEGATIVE_INFINITY;
  /** The last request, if it is so far ahead that the next one decides about it. */
  #leap: Request | undefined;

  constructor(take: (request: Request) => void) {
    this.#take = take;
  }

  add(request: Request): void {
    this.#land(request.timeUs);
    if (request.timeUs - this.#newestUs > MOST_AHEAD_US && this.#newestUs > 0) this.#leap = request;
    else this.#insert(request);
  }

  #land(nextUs: number): void {
    const leap = this.#leap;
    if (leap === undefined) return;
    this.#leap = undefined;
    if (nextUs < leap.timeUs - MOST_LATE_US) this.#correct(leap, this.#newestUs);
    this.#insert(leap);
  }

  #correct(request: Request, timeUs: number): void {
    request.timeUs = timeUs;
    this.late += 1;
  }

  #insert(request: Request): void {
    if (request.timeUs < this.#reachedUs) {
      this.#correct(request, this.#reachedUs);
      this.#take(request);
      return;
    }
    if (request.timeUs < this.#newestUs) this.#isSorted = false;
    else this.#newestUs = request.timeUs;
    this.#waiting.push(request);
    // Twice what a line may be late by, so that each release moves at least half of what waits.
    if (this.#newestUs - this.#waiting[0]!.timeUs > 2 * MOST_LATE_US) this.#release(this.#newestUs - MOST_LATE_US);
  }

  /** Takes what still waits. */
  end(): void {
    this.#land(Number.POSITIVE_INFINITY);
    this.#release(Number.POSITIVE_INFINITY);
  }

  /** Requests of one time stay as they came. */
  #release(untilUs: number): void {
    const waiting = this.#waiting;
    if (!this.#isSorted) waiting.sort((one, other) => one.timeUs - other.timeUs);
    this.#isSorted = true;
    let count = 0;
    for (; count < waiting.length && waiting[count]!.timeUs <= untilUs; count += 1) {
      this.#reachedUs = waiting[count]!.timeUs;
      this.#take(waiting[count]!);
    }
    this.#waiting = waiting.slice(count);
  }
}
