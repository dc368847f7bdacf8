import type { Redis } from "ioredis";

/** What a contender is made with. */
export interface Setup {
  readonly client: Redis;
  /** Units that each key has; they come back more slowly than a measurement takes. */
  readonly limit: number;
}

/** A limiter whose count is in Redis. */
export interface Contender {
  /** Asks for one unit of a key. */
  ask(key: string): Promise<unknown>;
  /** Whether such an answer admits. */
  admits(answer: unknown): boolean;
  /** Whether what was rejected with is a denial, not an error. */
  isDenial(reason: unknown): boolean;
}

export type CreateContender = (setup: Setup) => Contender | Promise<Contender>;

/** Where denials are answers. */
export function never(): boolean {
  return false;
}

/** Whether the contender admits one unit of the key. */
export async function decide(contender: Contender, key: string): Promise<boolean> {
  try {
    return contender.admits(await contender.ask(key));
  } catch (reason) {
    if (contender.isDenial(reason)) return false;
    throw reason;
  }
}
