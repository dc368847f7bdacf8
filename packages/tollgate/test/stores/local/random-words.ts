/** A repeatable source of 32-bit words: Weyl's sequence through the finalizer of MurmurHash3. */
export function randomWords(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let word = state ^ (state >>> 16);
    word = Math.imul(word, 0x85ebca6b);
    word ^= word >>> 13;
    word = Math.imul(word, 0xc2b2ae35);
    return (word ^ (word >>> 16)) >>> 0;
  };
}

/** Whole numbers from 0 to below a bound. */
export function randomBelow(seed: number): (bound: number) => number {
  const next = randomWords(seed);
  return (bound) => Math.floor((next() / 2 ** 32) * bound);
}
