import { CHUNK } from "./chunk.ts";
import type { KeyPool } from "./key-pool.ts";

/** A chunk's keys, made off-clock: fresh strings each time. */
export class FreshKeys {
  readonly strings: string[] = new Array<string>(CHUNK).fill("");
  readonly #pool: KeyPool;

  constructor(pool: KeyPool) {
    this.#pool = pool;
  }

  make(indices: Uint32Array): void {
    for (let i = 0; i < indices.length; i += 1) this.strings[i] = this.#pool.key(indices[i]!);
  }
}
