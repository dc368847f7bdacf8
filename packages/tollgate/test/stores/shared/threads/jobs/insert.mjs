/** The workers wait for each other after this many keys, so that keys are new to all at the same time. */
const KEYS_PER_STEP = 8;

/** Takes a unit of every key, in the same order as the other workers. Returns the keys of which it got one. */
export function run({ limiter, keys, workers, arrived }) {
  const got = [];
  for (let key = 0; key < keys; key += 1) {
    if (key % KEYS_PER_STEP === 0) arrive(arrived, workers);
    if (limiter.allow(`new ${key}`) === true) got.push(key);
  }
  return got;
}

/** Returns when all workers have called it. */
function arrive(arrived, workers) {
  const last = Atomics.add(arrived, 0, 1) + 1;
  const all = Math.ceil(last / workers) * workers;
  if (last === all) Atomics.notify(arrived, 0);
  for (let now = last; now < all; now = Atomics.load(arrived, 0)) Atomics.wait(arrived, 0, now, 1);
}
