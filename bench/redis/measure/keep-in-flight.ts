import type { Contender } from "../contenders/contender.ts";

/** What came of calls that followed each other. */
export interface Calls {
  /** Those that were answered in time. */
  readonly decisions: number;
  readonly ms: number;
  /** Those and the ones that were still under way. */
  readonly answers: number;
  readonly admitted: number;
  /** How long some of the calls took, ascending. */
  readonly latenciesMs: Float64Array;
}

/** One call in so many is timed: reading the clock for each would be a tenth of what the quickest take. */
const TIMED_EVERY = 8;

/** Keeps so many calls under way for that long: where one is answered, the next is made. */
export async function keepInFlight(
  contender: Contender,
  nextKey: () => string,
  inFlight: number,
  ms: number,
): Promise<Calls> {
  const latencies: number[] = [];
  let answers = 0;
  let admitted = 0;
  let decisions = 0;
  let endMs = 0;
  const startMs = performance.now();
  const callOnAndOn = async (first: number) => {
    for (let i = first; endMs === 0; i += 1) {
      const isTimed = i % TIMED_EVERY === 0;
      const askedMs = isTimed ? performance.now() : 0;
      try {
        if (contender.admits(await contender.ask(nextKey()))) admitted += 1;
      } catch (reason) {
        if (!contender.isDenial(reason)) throw reason;
      }
      answers += 1;
      if (!isTimed || endMs > 0) continue;
      const nowMs = performance.now();
      latencies.push(nowMs - askedMs);
      if (nowMs - startMs < ms) continue;
      endMs = nowMs;
      decisions = answers;
    }
  };
  // They start out of step, so that those of one turn are not all timed, or none.
  await Promise.all(Array.from({ length: inFlight }, (_, i) => callOnAndOn(i)));
  return { decisions, ms: endMs - startMs, answers, admitted, latenciesMs: Float64Array.from(latencies).sort() };
}
