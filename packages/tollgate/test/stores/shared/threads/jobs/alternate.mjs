/** Takes from keys in turn, by versions of a limiter in turn. Returns the units admitted by key. */
export function run({ limiterOf, index, keys, calls, versions }) {
  const limiters = versions.map(limiterOf);
  const admitted = new Float64Array(keys);
  for (let call = 0; call < calls; call += 1) {
    const key = (call + 3 * index) % keys;
    if (turnOf(call, index, limiters).allow(`key ${key}`) === true) admitted[key] += 1;
  }
  return admitted;
}

/**
 * Does the same until the word `done` is 1 or the thread is terminated, and adds what each key was admitted to
 * `admitted`. Counts its calls in `calls`.
 */
export function untilDone({ limiterOf, index, keys, versions, done, admitted, calls }) {
  const limiters = versions.map(limiterOf);
  for (let call = 0; Atomics.load(done, 0) === 0; call += 1) {
    const key = (call + 3 * index) % keys;
    if (turnOf(call, index, limiters).allow(`key ${key}`) === true) Atomics.add(admitted, key, 1);
    Atomics.add(calls, index, 1);
  }
}

/** The version that a call asks. Threads change versions at different times. */
export function turnOf(call, index, limiters) {
  return limiters[Math.floor((call + index) / (1 + (index % 4))) % limiters.length];
}
