/**
 * Takes, charges and gives back at random, never more than it has of a key, and tells what it has in the end, by key. Every now and then
 * it looks, which changes nothing.
 */
export function run({ limiter, index, keys, calls, giveAllBack }) {
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
  if (giveAllBack === true) {
    for (const [key, units] of has.entries()) {
      if (units > 0) limiter.refund(`key ${key}`, units);
    }
  }
  return has;
}

/** Marsaglia's xorshift: always the same numbers of the same seed. */
function randomBelow(seed) {
  let state = seed * 2_654_435_769;
  return (count) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % count;
  };
}
