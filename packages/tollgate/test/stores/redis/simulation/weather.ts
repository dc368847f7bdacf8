import type { Random } from "../script/kit/random.ts";

/** What a network does to messages, each with a probability. */
export interface Weather {
  readonly lost: number;
  readonly repeated: number;
  /** How many messages are slow, and how slow. */
  readonly slow: number;
  readonly longestUs: number;
  /** Whether messages arrive in the order in which they were sent. */
  readonly keepsOrder: boolean;
}

/** Nothing is lost. */
export const CALM: Weather = { lost: 0, repeated: 0, slow: 0.1, longestUs: 40_000, keepsOrder: true };

/** Only what lowers no count may come twice or in another order: clients send nothing again. */
export function stormOf(random: Random, refillUs: number, lowersCounts: boolean): Weather {
  return {
    lost: random.of([0, 0.05, 0.3]),
    repeated: lowersCounts ? 0 : random.of([0, 0.1, 0.5]),
    slow: random.of([0.1, 0.9]),
    longestUs: random.of([50_000, refillUs / 10, refillUs]),
    keepsOrder: lowersCounts || random.chance(0.3),
  };
}
