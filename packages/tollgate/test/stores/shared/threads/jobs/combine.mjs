/**
 * Calls on two combined limiters, and on one of them alone, for each key in turn. Returns the units that each limiter
 * admitted by key. All workers go through the keys in the same order, so that they lose races to each other.
 */
export function run({ tollgate, store, index, keys, rounds, capacities, clockMs }) {
  const clock = { now: () => clockMs };
  const [first, second] = capacities.map((capacity, i) =>
    tollgate.createLimiter({
      name: `limiter ${i}`,
      limits: [tollgate.tokenBucket({ capacity, refill: 1, per: "1h" })],
      store,
      clock,
    }),
  );
  const both = tollgate.combine(first, second);
  const admitted = [new Float64Array(keys), new Float64Array(keys)];
  for (let key = 0; key < keys; key += 1) {
    for (let round = 0; round < rounds; round += 1) {
      const name = `key ${key}`;
      if (both.allow(name) === true) {
        admitted[0][key] += 1;
        admitted[1][key] += 1;
      }
      // Changes a key that another worker may be refunding.
      if (round === index && first.allow(name) === true) admitted[0][key] += 1;
    }
  }
  return admitted;
}
