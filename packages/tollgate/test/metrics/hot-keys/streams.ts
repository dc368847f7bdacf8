/** Draws that repeat: mulberry32. */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Keys whose frequencies follow Zipf's law: the k-th has a share of 1 / k^exponent. */
export function zipfStream(length: number, keys: number, exponent: number, random: () => number): string[] {
  const sums: number[] = [];
  let sum = 0;
  for (let rank = 1; rank <= keys; rank += 1) {
    sum += rank ** -exponent;
    sums.push(sum);
  }
  return Array.from({ length }, () => {
    const at = random() * sum;
    let low = 0;
    let high = keys - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle]! <= at) low = middle + 1;
      else high = middle;
    }
    return `key-${low}`;
  });
}

/** How often each key comes. */
export function countsOf(stream: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of stream) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
