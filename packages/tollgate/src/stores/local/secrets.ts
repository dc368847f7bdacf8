import { SECRET_WORDS } from "./key-hash.ts";

/**
 * Draws the secrets of hashes. Engines load their cryptography with the first, which takes milliseconds: so one is drawn
 * ahead when a store is made, unless it is made where drawing is not allowed, as in the global scope of Workers.
 */
export class Secrets {
  #ahead: Int32Array | undefined;

  constructor() {
    try {
      this.#ahead = draw();
    } catch {
      // The first call will draw.
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
