/**
 * Takes from keys in turn, every other worker by handles. Returns the units admitted by key. Workers start at different
 * keys and go on by different steps, so they meet again and again.
 */
export function run({ limiter, index, keys, calls, costs, step = 1 }) {
  const admitted = new Float64Array(keys);
  const names = Array.from({ length: keys }, (_, key) => `key ${key}`);
  const handles = index % 2 === 0 ? undefined : names.map((name) => limiter.handle(name));
  let key = Math.floor((index * keys) / 4);
  for (let call = 0; call < calls; call += 1) {
    const cost = costs[call % costs.length];
    const allowed = handles === undefined ? limiter.allow(names[key], cost) : handles[key].allow(cost);
    if (allowed === true) admitted[key] += cost;
    key = (key + step) % keys;
  }
  return admitted;
}
