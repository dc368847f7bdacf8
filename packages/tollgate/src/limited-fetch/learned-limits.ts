import type { QuotaPolicy } from "./advertised.ts";

/** The most windows that one input learns. */
const MOST_WINDOWS = 8;
/** Requests that are sent within this part of a window leave it together, so that a count takes little memory. */
const GROUPS_PER_WINDOW = 32;

/**
 * The limits that a server advertises for one input, and the requests sent under them. A limit is known by the length
 * of its window: neither its position nor its name, nor another quota, begins its count anew.
 *
 * A limiter would count the same, but takes 11 kB for each limit of each server.
 */
export class LearnedLimits {
  readonly #windows = new Map<number, SlidingCount>();

  get isEmpty(): boolean {
    return this.#windows.size === 0;
  }

  /**
   * Learns the longest windows of a response, each with its smallest quota. Where there are too many, the window that
   * was advertised longest ago is dropped.
   */
  learn(policies: readonly QuotaPolicy[]): void {
    const ordered = policies.toSorted((a, b) =>
      a.windowMs === b.windowMs ? b.quota - a.quota : a.windowMs - b.windowMs,
    );
    for (const { quota, windowMs } of ordered.slice(-MOST_WINDOWS)) {
      const windowUs = Math.ceil(windowMs * 1_000);
      const known = this.#windows.get(windowUs) ?? new SlidingCount(windowUs);
      known.quota = quota;
      this.#windows.delete(windowUs);
      this.#windows.set(windowUs, known);
      const [oldest = windowUs] = this.#windows.keys();
      if (this.#windows.size > MOST_WINDOWS) this.#windows.delete(oldest);
    }
  }

  /** The most requests that a window still counts: what is lost if the limits are forgotten. */
  usedAt(nowUs: number): number {
    return Math.max(0, ...Array.from(this.#windows.values(), (window) => window.usedAt(nowUs)));
  }

  /** Counts a request and returns 0; else returns the microseconds until all limits have capacity for it. */
  take(nowUs: number): number {
    const windows = [...this.#windows.values()];
    const waitUs = Math.max(0, ...windows.map((window) => window.waitUs(nowUs)));
    if (waitUs === 0) for (const window of windows) window.add(nowUs);
    return waitUs;
  }
}

/** The requests of the last `windowUs`. */
class SlidingCount {
  quota = 0;
  readonly #windowUs: number;
  /** In the order of time. A group leaves when its last request does. */
  readonly #groups: { readonly firstUs: number; lastUs: number; count: number }[] = [];

  constructor(windowUs: number) {
    this.#windowUs = windowUs;
  }

  usedAt(nowUs: number): number {
    while (this.#groups.length > 0 && this.#groups[0]!.lastUs + this.#windowUs <= nowUs) this.#groups.shift();
    return this.#groups.reduce((sum, { count }) => sum + count, 0);
  }

  waitUs(nowUs: number): number {
    let excess = this.usedAt(nowUs) + 1 - this.quota;
    for (const { count, lastUs } of this.#groups) {
      if (excess <= 0) return 0;
      excess -= count;
      if (excess <= 0) return lastUs + this.#windowUs - nowUs;
    }
    return 0;
  }

  add(nowUs: number): void {
    const last = this.#groups.at(-1);
    if (last === undefined || nowUs - last.firstUs > this.#windowUs / GROUPS_PER_WINDOW) {
      this.#groups.push({ firstUs: nowUs, lastUs: nowUs, count: 1 });
    } else {
      last.lastUs = Math.max(last.lastUs, nowUs);
      last.count += 1;
    }
  }
}
