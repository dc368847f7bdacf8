import type { Random } from "../../script/kit/random.ts";

/** What a network does to messages, each with a probability. */
export interface Weather {
  readonly lost: number;
  readonly repeated: number;
  /** How many messages are slow, and how slow. */
  readonly slow: number;
  readonly longestUs: number;
  readonly timeoutUs: number;
}

export function weatherOf(random: Random, refillUs: number): Weather {
  const isBad = random.chance(0.6);
  return {
    lost: isBad ? random.of([0, 0.05, 0.3]) : 0,
    repeated: isBad ? random.of([0, 0.1, 0.5]) : 0,
    slow: random.of([0.1, 0.9]),
    longestUs: isBad ? random.of([50_000, refillUs / 10, refillUs]) : 20_000,
    timeoutUs: random.of([100_000, refillUs / 4]),
  };
}
