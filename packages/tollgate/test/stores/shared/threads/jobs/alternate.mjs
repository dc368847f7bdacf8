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

/** The version that a call asks. Threads change versions at different times. */
export function turnOf(call, index, limiters) {
  return limiters[Math.floor((call + index) / (1 + (index % 4))) % limiters.length];
}
