import { turnOf } from "./alternate.mjs";

/** The state of a worker without a current call. Above 0 it takes a unit of a key, below 0 it refunds one. */
const NOTHING = 0;
const TAKES_PER_REFUND = 10;
/** One in this many calls is followed by two calls on a key that comes and goes. */
const CALLS_PER_BRIEF_KEY = 16;

/**
 * Takes and refunds by versions of a limiter in turn, until it is terminated. It records each call before it makes it,
 * and the units of the key after it: so at most one call is done but not recorded. The brief keys are new or idle at
 * most calls.
 */
export function run({ limiterOf, versions, index, keys, briefKeys, doing, units }) {
  const limiters = versions.map(limiterOf);
  const mine = new Int32Array(keys);
  for (let call = 0; ; call += 1) {
    const limiter = turnOf(call, index, limiters);
    const key = (call + index) % keys;
    const name = `key ${key}`;
    const gives = mine[key] === TAKES_PER_REFUND;
    Atomics.store(doing, index, gives ? -1 - key : 1 + key);
    if (gives) {
      limiter.refund(name, 1);
      Atomics.sub(units, key, 1);
      mine[key] = 0;
    } else if (limiter.allow(name) === true) {
      Atomics.add(units, key, 1);
      mine[key] += 1;
    }
    Atomics.store(doing, index, NOTHING);
    if (call % CALLS_PER_BRIEF_KEY !== 0) continue;
    const brief = `brief ${(call / CALLS_PER_BRIEF_KEY) % briefKeys}`;
    if (limiter.allow(brief) === true) limiter.refund(brief, 1);
  }
}
