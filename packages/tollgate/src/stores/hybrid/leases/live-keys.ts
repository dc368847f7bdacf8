/** A key that has leases. */
export interface TendedKey {
  /** Gives back what the key holds, if it is idle. @returns whether it still has leases. */
  tend(): boolean;
}

/** How often idle keys give back what they hold. */
const EVERY_MS = 50;

/** The keys that hold leases. A timer visits them, while there are any. Leases end without it, too. */
export class LiveKeys {
  readonly #keys = new Set<TendedKey>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  add(key: TendedKey): void {
    this.#keys.add(key);
    if (this.#timer === undefined && !this.#isClosed) this.#plan();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #plan(): void {
    this.#timer = setTimeout(() => this.#tend(), EVERY_MS);
    // Timers are numbers outside Node, Bun and Deno.
    if (typeof this.#timer === "object") this.#timer.unref();
  }

  #tend(): void {
    for (const key of this.#keys) if (!key.tend()) this.#keys.delete(key);
    this.#timer = undefined;
    if (this.#keys.size > 0 && !this.#isClosed) this.#plan();
  }
}
