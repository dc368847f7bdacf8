/** Tells the time by the store's clock, or by the library's own, as often as it is asked by 1 in the word: then that is 2. */
export function run({ store, systemClock, by, word, times }) {
  const clock = by === "store" ? store.clock : systemClock;
  for (let i = 0; i < times.length; i += 1) {
    while (Atomics.load(word, 0) !== 1);
    times[i] = clock.now();
    Atomics.store(word, 0, 2);
  }
}
