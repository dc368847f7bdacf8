/** What a worker is in the middle of, for whoever terminates it: nothing, or taking (above 0) or giving back (below) a unit of a key. */
const NOTHING = 0;
const TAKES_PER_REFUND = 10;
/** Every so many calls come two on a key whose slot comes and goes. */
const CALLS_PER_BRIEF_KEY = 16;

/**
 * Takes and gives back until it is terminated. Before each call it notes what it is about to do, and after it what has become of the key: so
 * at most one call is done that is not noted. The keys in `brief` are new or as good as new to most calls.
 */
export function run({ limiter, index, keys, briefKeys, doing, units }) {
  const mine = new Int32Array(keys);
  for (let call = 0; ; call += 1) {
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
