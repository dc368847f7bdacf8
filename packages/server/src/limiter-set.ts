import type { AsyncLimiter, Limiter } from "tollgate";

export type AnyLimiter = Limiter<never> | AsyncLimiter<never>;

/** Begins something with a limiter, such as measuring it, and returns what ends it. */
export type BeginWith = (limiter: AnyLimiter) => () => void;

/** The limiters of an application, which may change with its limits: metrics and logs follow them. */
export class LimiterSet {
  readonly #watches = new Set<Watch>();
  #limiters: readonly AnyLimiter[];

  constructor(limiters: readonly AnyLimiter[] = []) {
    this.#limiters = limiters;
  }

  /** Begins with each limiter, and with those that come later. @returns what ends all. */
  watch(begin: BeginWith): () => void {
    const watch = new Watch(begin);
    this.#watches.add(watch);
    watch.follow(this.#limiters);
    return () => {
      this.#watches.delete(watch);
      watch.follow([]);
    };
  }

  replace(limiters: readonly AnyLimiter[]): void {
    this.#limiters = limiters;
    for (const watch of this.#watches) watch.follow(limiters);
  }
}

class Watch {
  readonly #begin: BeginWith;
  readonly #ends = new Map<AnyLimiter, () => void>();

  constructor(begin: BeginWith) {
    this.#begin = begin;
  }

  /** New limiters come before others go: what limiters share, such as the metrics of a store, stays. */
  follow(limiters: readonly AnyLimiter[]): void {
    for (const limiter of limiters) {
      if (!this.#ends.has(limiter)) this.#ends.set(limiter, this.#begin(limiter));
    }
    const present = new Set(limiters);
    for (const [limiter, end] of this.#ends) {
      if (present.has(limiter)) continue;
      this.#ends.delete(limiter);
      end();
    }
  }
}
