import { mix32 } from "./random.ts";

/** The longest address takes 15 bytes. */
const BYTES_PER_KEY = 16;

/**
 * The bytes of so many different IPv4 addresses. A key is cut out anew each time it is asked for, as an HTTP parser cuts
 * a header out of a packet: a flat string with no cached hash, that no table of the engine knows. `floor/floor.c` makes
 * the same keys.
 */
export class KeyPool {
  readonly count: number;
  readonly #bytes: Buffer;
  readonly #lengths: Uint8Array;

  constructor(count: number) {
    this.count = count;
    this.#bytes = Buffer.alloc(count * BYTES_PER_KEY);
    this.#lengths = new Uint8Array(count);
    for (let index = 0; index < count; index += 1) {
      this.#lengths[index] = this.#bytes.write(addressOf(index), index * BYTES_PER_KEY, "latin1");
    }
  }

  /** A fresh string. */
  key(index: number): string {
    const start = index * BYTES_PER_KEY;
    return this.#bytes.toString("latin1", start, start + this.#lengths[index]!);
  }
}

/** Neighbours in the pool have nothing in common, and no two indices have the same address. */
function addressOf(index: number): string {
  const bits = mix32(index + 1);
  return `${bits >>> 24}.${(bits >>> 16) & 255}.${(bits >>> 8) & 255}.${bits & 255}`;
}
