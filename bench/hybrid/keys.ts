/** Draws the numbers of keys, from 0 on, with the probabilities of Zipf's law. */
export function keysOf(count: number): () => number {
  const sums: number[] = [];
  let sum = 0;
  for (let rank = 1; rank <= count; rank += 1) {
    sum += 1 / rank;
    sums.push(sum);
  }
  return () => {
    const at = Math.random() * sum;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sums[middle]! < at) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** The numbers of keys, one after another, again and again. */
export function keysInTurn(count: number): () => number {
  let key = -1;
  return () => {
    key = (key + 1) % count;
    return key;
  };
}
