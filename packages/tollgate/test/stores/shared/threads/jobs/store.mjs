/** Makes a store without WebAssembly, which worker.mjs has removed, and returns its handle. */
export function makeStore({ sharedStore, options }) {
  return sharedStore(options).handle;
}

/**
 * Writes the time into `times` whenever the word becomes 1, and then sets the word to 2. The time is that of the
 * store's clock or of the thread's own `systemClock`.
 */
export function tellTime({ store, systemClock, by, word, times }) {
  const clock = by === "store" ? store.clock : systemClock;
  for (let i = 0; i < times.length; i += 1) {
    while (Atomics.load(word, 0) !== 1);
    times[i] = clock.now();
    Atomics.store(word, 0, 2);
  }
}
