/** Marsaglia's xorshift: the same numbers for the same seed, on every runtime. */
export function randomBelow(seed: number): (bound: number) => number {
  let state = (seed + 1) * 0x9e3779b9;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}
