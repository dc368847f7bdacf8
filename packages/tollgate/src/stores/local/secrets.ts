import { SECRET_WORDS } from "./key-hash.ts";

/**
 * Draws the secrets of hashes. The first draw loads the engine's cryptography, which takes milliseconds, so a store
 * draws one secret ahead. In the global scope of Workers drawing is not allowed; there the first call draws.
 */
export class Secrets {
  #ahead: Int32Array | undefined;

  constructor() {
    try {
      this.#ahead = draw();
    } catch {
      // `next` draws instead.
    }
  }

  next(): Int32Array {
    const secret = this.#ahead ?? draw();
    this.#ahead = undefined;
    return secret;
  }
}

function draw(): Int32Array {
  return crypto.getRandomValues(new Int32Array(SECRET_WORDS));
}
