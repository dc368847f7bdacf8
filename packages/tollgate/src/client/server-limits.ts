import type { Clock } from "../core/clock.ts";
import { slidingWindow } from "../core/limits/sliding-window-limit.ts";
import { createLimiter } from "../limiter/create-limiter.ts";
import { DeniedError } from "../limiter/outgoing-work.ts";
import type { WaitOptions } from "../limiter/wait-options.ts";
import type { Advertised } from "./advertised.ts";

/** The most keys whose limits are remembered. */
const MOST_KEYS = 1_000;
/** Larger numbers are no limits that requests could meet. */
const MOST_QUOTA = 1_000_000;
const LONGEST_WINDOW_MS = 31 * 86_400_000;

type Numbers = { readonly limit: number; readonly windowMs: number };

/**
 * What servers have said of each key, known in this process alone: the limits that they advertise, and until when they
 * want no request. It holds when a store elsewhere cannot be told.
 */
export class ServerLimits {
  readonly #known = new Map<string, readonly Numbers[]>();
  readonly #limiter;

  constructor(clock: Clock) {
    this.#limiter = createLimiter({
      key: (key: string) => key,
      limits: (key: string) => {
        const known = this.#known.get(key);
        if (known === undefined) return "unlimited";
        return known.map(({ limit, windowMs }, i) =>
          slidingWindow({ limit, window: windowMs, name: `advertised-${i}` }),
        );
      },
      clock,
    });
  }

  /** Notes what a response advertises. Limits without a window say nothing. */
  learn(key: string, all: readonly Advertised[]): void {
    const numbers = all.flatMap(({ quota, windowMs }): Numbers[] => {
      const isLimit = quota !== undefined && quota > 0 && quota <= MOST_QUOTA;
      return isLimit && windowMs !== undefined && windowMs > 0 && windowMs <= LONGEST_WINDOW_MS
        ? [{ limit: quota, windowMs: Math.ceil(windowMs) }]
        : [];
    });
    if (numbers.length === 0) return;
    this.#known.delete(key);
    this.#known.set(key, numbers);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KEYS && oldest !== undefined) this.#known.delete(oldest);
  }

  /** Holds up the requests of a key. */
  block(key: string, ms: number): void {
    this.#limiter.block(key, ms);
  }

  /** Waits for a turn under what servers have said of a key. */
  async wait(key: string, options: WaitOptions): Promise<void> {
    const decision = await this.#limiter.wait(key, 1, options);
    if (!decision.allowed) throw new DeniedError("limitedFetch", decision);
  }
}
