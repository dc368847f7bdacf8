import { preciseMs } from "../../core/clock.ts";

const WARM_UP = 20_000;
const MEASURED = 1_001;

/**
 * What measuring adds to a measured time, in milliseconds: the time between two readings of the clock with nothing in
 * between, the median of many. It takes about a millisecond.
 */
export function timingCostMs(): number {
  let total = 0;
  // Code that the engine has not compiled yet takes several times as long.
  for (let i = 0; i < WARM_UP; i += 1) total -= preciseMs() - preciseMs();
  const times = new Float64Array(MEASURED);
  for (let i = 0; i < MEASURED; i += 1) {
    const begunMs = preciseMs();
    times[i] = preciseMs() - begunMs;
  }
  times.sort();
  // The sum keeps engines from removing the first loop.
  return total >= 0 ? times[(MEASURED - 1) / 2]! : 0;
}
