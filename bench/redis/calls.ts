import type { KeyPool } from "../harness/keys.ts";
import { expectCount } from "../harness/measuring.ts";
import { type AsyncCall, admits } from "../process/contender.ts";

/** Times one call in eight: reading the clock for each would be a tenth of the quickest calls' time. */
const TIMED_EVERY = 8;

/**
 * Keeps this many calls in flight for this long: each answer starts the next call. Returns the decisions until the end
 * and their time, all answers with those in flight at the end, and the ascending times of some calls.
 */
export async function keepInFlight(contender: AsyncCall, nextKey: () => string, inFlight: number, ms: number) {
  const latencies: number[] = [];
  let [answers, admitted, decisions, endMs] = [0, 0, 0, 0];
  const startMs = performance.now();
  const keepCalling = async (first: number) => {
    for (let i = first; endMs === 0; i += 1) {
      const isTimed = i % TIMED_EVERY === 0;
      const askedMs = isTimed ? performance.now() : 0;
      if (await admits(contender, nextKey())) admitted += 1;
      answers += 1;
      if (!isTimed || endMs > 0) continue;
      const nowMs = performance.now();
      latencies.push(nowMs - askedMs);
      if (nowMs - startMs < ms) continue;
      endMs = nowMs;
      decisions = answers;
    }
  };
  // Different starts: otherwise all calls of one turn would be timed, or none.
  await Promise.all(Array.from({ length: inFlight }, (_, i) => keepCalling(i)));
  return { decisions, ms: endMs - startMs, answers, admitted, latenciesMs: Float64Array.from(latencies).sort() };
}

/** Gives the keys one after another, again and again. */
export function keysInTurn(pool: KeyPool): () => string {
  let next = 0;
  return () => {
    next = next + 1 === pool.count ? 0 : next + 1;
    return pool.key(next);
  };
}

const AT_ONCE = 512;

/** Asks about every key once. Returns how many were admitted. */
export async function askAboutAll(contender: AsyncCall, pool: KeyPool): Promise<number> {
  let admitted = 0;
  for (let from = 0; from < pool.count; from += AT_ONCE) {
    const length = Math.min(AT_ONCE, pool.count - from);
    const keys = Array.from({ length }, (_, i) => pool.key(from + i));
    admitted += await admittedOf(contender, keys);
  }
  return admitted;
}

const TOO_MANY = 12;

/** Each key has `limit` units, for calls made at once and for later ones. @throws Error when the contender differs. */
export async function checkLimit(contender: AsyncCall, limit: number): Promise<void> {
  expectCount("calls at once admitted", await admittedOf(contender, new Array<string>(TOO_MANY).fill("ann")), limit);
  expectCount("later calls admitted", await admittedOf(contender, ["ann"]), 0);
  expectCount("calls of another key admitted", await admittedOf(contender, ["bob"]), 1);
}

export async function admittedOf(contender: AsyncCall, keys: readonly string[]): Promise<number> {
  const answers = await Promise.all(keys.map((key) => admits(contender, key)));
  return answers.filter(Boolean).length;
}
