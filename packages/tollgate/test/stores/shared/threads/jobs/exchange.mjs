/**
 * Takes, charges, refunds and peeks at random, and returns the units that it has in the end, by key. It never refunds
 * more than it has.
 */
export function run({ limiter, index, keys, calls, refundAll }) {
  const has = new Float64Array(keys);
  const below = randomBelow(index + 1);
  for (let call = 0; call < calls; call += 1) {
    const key = below(keys);
    const name = `key ${key}`;
    const units = 1 + below(5);
    switch (below(8)) {
      case 0:
      case 1:
      case 2:
        if (limiter.allow(name, units) === true) has[key] += units;
        break;
      case 3:
        if (limiter.consume(name, units).allowed === true) has[key] += units;
        break;
      case 4:
        limiter.charge(name, units);
        has[key] += units;
        break;
      case 5:
        limiter.peek(name, units);
        break;
      default:
        if (has[key] < units) break;
        limiter.refund(name, units);
        has[key] -= units;
    }
  }
  if (refundAll === true) {
    for (const [key, units] of has.entries()) {
      if (units > 0) limiter.refund(`key ${key}`, units);
    }
  }
  return has;
}

/** Marsaglia's xorshift: repeatable numbers for each seed. */
function randomBelow(seed) {
  let state = seed * 2_654_435_769;
  return (count) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % count;
  };
}
