/** What a line may be late by: servers log a request when it ends, and several of them write one file. */
export const MOST_LATE_US = 5_000_000;
/** A single line that is further ahead of both its neighbours had a wrong clock. */
const MOST_AHEAD_US = 3_600_000_000;

/** Puts requests in the order of their times. A request that comes later than that counts at the time reached then. */
export class InOrder<Request> {
  /** How many requests came too late, or far too early. */
  late = 0;
  readonly #take: (timeUs: number, request: Request) => void;
  #times: number[] = [];
  #requests: Request[] = [];
  #isSorted = true;
  #newestUs = Number.NEGATIVE_INFINITY;
  #reachedUs = Number.NEGATIVE_INFINITY;

  /** The last request, if it is so far ahead that the next one decides about it. */
  #leap: Leap<Request> | undefined;

  constructor(take: (timeUs: number, request: Request) => void) {
    this.#take = take;
  }

  add(timeUs: number, request: Request): void {
    if (this.#leap !== undefined) this.#land(this.#leap, timeUs);
    if (timeUs - this.#newestUs > MOST_AHEAD_US && this.#newestUs > 0) this.#leap = { timeUs, request };
    else this.#insert(timeUs, request);
  }

  #land({ timeUs, request }: Leap<Request>, nextUs: number): void {
    this.#leap = undefined;
    const isWrong = nextUs < timeUs - MOST_LATE_US;
    if (isWrong) this.late += 1;
    this.#insert(isWrong ? this.#newestUs : timeUs, request);
  }

  #insert(timeUs: number, request: Request): void {
    if (timeUs < this.#reachedUs) {
      this.late += 1;
      this.#take(this.#reachedUs, request);
      return;
    }
    if (timeUs < this.#newestUs) this.#isSorted = false;
    else this.#newestUs = timeUs;
    this.#times.push(timeUs);
    this.#requests.push(request);
    // Twice what a line may be late by, so that each release moves at least half of what waits.
    if (this.#newestUs - this.#times[0]! > 2 * MOST_LATE_US) this.#release(this.#newestUs - MOST_LATE_US);
  }

  /** Takes what still waits. */
  end(): void {
    if (this.#leap !== undefined) this.#land(this.#leap, this.#leap.timeUs);
    this.#release(Number.POSITIVE_INFINITY);
  }

  #release(untilUs: number): void {
    if (!this.#isSorted) this.#sort();
    const times = this.#times;
    let count = 0;
    while (count < times.length && times[count]! <= untilUs) {
      this.#take(times[count]!, this.#requests[count]!);
      count += 1;
    }
    if (count > 0) this.#reachedUs = times[count - 1]!;
    this.#times = times.slice(count);
    this.#requests = this.#requests.slice(count);
  }

  /** Requests of one time stay as they came. */
  #sort(): void {
    const order = this.#times.map((_, index) => index).sort((a, b) => compare(this.#times[a]!, this.#times[b]!, a - b));
    this.#times = order.map((index) => this.#times[index]!);
    this.#requests = order.map((index) => this.#requests[index]!);
    this.#isSorted = true;
  }
}

interface Leap<Request> {
  readonly timeUs: number;
  readonly request: Request;
}

function compare(one: number, other: number, otherwise: number): number {
  return one === other ? otherwise : one - other;
}
