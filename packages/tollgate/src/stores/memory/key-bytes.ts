import { textBytes } from "../../core/text-memory.ts";
import { MapBytes } from "./map-bytes.ts";

/** An element of the array of keys. Engines allocate half as many again. */
const BYTES_PER_ELEMENT = 12;

/** Charges what a table's keys take without their cells: their texts, and their entries in the array and the Map. */
export class KeyBytes {
  readonly #charge: (bytes: number) => void;
  readonly #mapBytes = new MapBytes();
  /** The bytes of all texts and array elements. */
  #textBytes = 0;

  constructor(charge: (bytes: number) => void) {
    this.#charge = charge;
  }

  /** The bytes of one key, without its entry in the Map. */
  static of(text: string): number {
    return textBytes(text) + BYTES_PER_ELEMENT;
  }

  /** What the next key takes in addition to its own bytes: if the Map has to grow, it copies its old entries. */
  get bytesForNext(): number {
    return this.#mapBytes.bytesForNext;
  }

  /** Adds a key of `bytes`, as returned by `of`. */
  add(bytes: number): void {
    const before = this.#mapBytes.bytes;
    this.#mapBytes.add();
    this.#textBytes += bytes;
    this.#charge(bytes + this.#mapBytes.bytes - before);
  }

  delete(text: string): void {
    const bytes = KeyBytes.of(text);
    const before = this.#mapBytes.bytes;
    this.#mapBytes.delete();
    this.#textBytes -= bytes;
    this.#charge(this.#mapBytes.bytes - before - bytes);
  }

  clear(): void {
    const before = this.#mapBytes.bytes;
    this.#mapBytes.clear();
    this.#charge(this.#mapBytes.bytes - before - this.#textBytes);
    this.#textBytes = 0;
  }
}
