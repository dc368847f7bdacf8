/** What was made for each key. It is forgotten when there is too much of it, and made again. */
export class Remembered<Key, Made> {
  readonly #made = new Map<Key, Made>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** What there is for a key, or what `make` makes. */
  get(key: Key, make: (key: Key) => Made): Made {
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    if (this.#made.size >= this.#most) this.#made.clear();
    const made = make(key);
    this.#made.set(key, made);
    return made;
  }
}
