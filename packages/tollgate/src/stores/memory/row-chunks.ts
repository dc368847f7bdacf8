import type { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import { ownCopy, textBytes } from "../../core/text-memory.ts";
import { CHUNK_BITS, type Chunk, ChunkSizes } from "./chunk.ts";
import type { KeyIndex } from "./key-index.ts";

/** An element of an array of keys. Engines allocate half as many again. */
const BYTES_PER_ELEMENT = 12;

/**
 * The rows of a table, in dense slots: removing a row moves the last one into its slot. The slots lie in chunks, which
 * an index finds by number.
 */
export class RowChunks<Table extends { charge(bytes: number): void }> {
  size = 0;
  readonly width: number;
  readonly #table: Table;
  readonly #sizes: ChunkSizes;
  readonly #chunks: Chunk<Table>[] = [];
  /** How many slots the chunks have. */
  #slots = 0;

  constructor(table: Table, width: number) {
    this.#table = table;
    this.width = width;
    this.#sizes = new ChunkSizes(width);
  }

  /** The bytes of a row's text. */
  static bytesOf(text: string): number {
    return textBytes(text) + BYTES_PER_ELEMENT;
  }

  /** What the next row takes beside its text and its entry. A chunk that grows is freed only after the copy. */
  bytesForNext(index: KeyIndex<Table>): number {
    if (this.size < this.#slots) return 0;
    return index.hasNumbers ? this.#sizes.bytesOf(this.#sizes.next(this.#slots)) : Number.POSITIVE_INFINITY;
  }

  /** Adds a row, with the first cells of `source`. */
  add(index: KeyIndex<Table>, text: string, hash: number, source: Float64Array): void {
    if (this.size === this.#slots) this.#grow(index);
    const chunk = this.#chunks[this.size >>> this.#sizes.bits]!;
    const at = chunk.keys.length;
    chunk.keys.push(ownCopy(text));
    chunk.hashes[at] = hash;
    copyCells(source, 0, chunk.cells, at * this.width, this.width);
    index.add(hash, slotIn(chunk, at));
    this.size += 1;
    this.#table.charge(RowChunks.bytesOf(text));
  }

  /** Removes a row. The last one gets its slot. */
  remove(index: KeyIndex<Table>, { chunk, at }: RowPosition<Table>): void {
    const { width } = this;
    const from = this.#chunks[(this.size - 1) >>> this.#sizes.bits]!;
    const last = from.keys.length - 1;
    index.delete(chunk.hashes[at]!, slotIn(chunk, at));
    this.#table.charge(-RowChunks.bytesOf(chunk.keys[at]!));
    this.size -= 1;
    if (from !== chunk || last !== at) {
      index.move(from.hashes[last]!, slotIn(from, last), slotIn(chunk, at));
      chunk.keys[at] = from.keys[last]!;
      chunk.hashes[at] = from.hashes[last]!;
      copyCells(from.cells, last * width, chunk.cells, at * width, width);
    }
    from.keys.pop();
  }

  /** Where one of the dense slots is. */
  positionOf(slot: number): RowPosition<Table> {
    return { chunk: this.#chunks[slot >>> this.#sizes.bits]!, at: slot & (2 ** this.#sizes.bits - 1) };
  }

  /** Forgets the rows, which no index knows any more. */
  clear(): void {
    for (const { keys } of this.#chunks) {
      for (const key of keys) this.#table.charge(-RowChunks.bytesOf(key));
      keys.length = 0;
    }
    this.size = 0;
  }

  /** Lets empty chunks go. */
  shrink(index: KeyIndex<Table>): void {
    const needed = Math.ceil(this.size / 2 ** this.#sizes.bits);
    for (const chunk of this.#chunks.splice(needed)) {
      index.removeChunk(chunk);
      this.#slots -= chunk.hashes.length;
      this.#table.charge(-this.#sizes.bytesOf(chunk.hashes.length));
    }
  }

  /** Makes the rows known to another index. */
  join(index: KeyIndex<Table>): void {
    for (const chunk of this.#chunks) {
      index.addChunk(chunk);
      for (let at = 0; at < chunk.keys.length; at += 1) index.add(chunk.hashes[at]!, slotIn(chunk, at));
    }
  }

  texts(): string[] {
    return this.#chunks.flatMap(({ keys }) => keys);
  }

  /** Restates all cells, which were written for the origin of `from`. */
  rebase(compiled: CompiledPlan, from: CompiledPlan): void {
    for (const { keys, cells } of this.#chunks) {
      for (let at = 0; at < keys.length; at += 1) compiled.rebase(cells, at * this.width, from);
    }
  }

  #grow(index: KeyIndex<Table>): void {
    const slots = this.#sizes.next(this.#slots);
    const last = this.#chunks.at(-1);
    const chunk = last === undefined || last.keys.length === 2 ** this.#sizes.bits ? this.#addChunk(index) : last;
    const { hashes, cells } = chunk;
    chunk.hashes = new Int32Array(slots);
    chunk.hashes.set(hashes);
    chunk.cells = new Float64Array(slots * this.width);
    chunk.cells.set(cells);
    this.#slots += slots - hashes.length;
    this.#table.charge(this.#sizes.bytesOf(slots) - this.#sizes.bytesOf(hashes.length));
  }

  #addChunk(index: KeyIndex<Table>): Chunk<Table> {
    const none = { hashes: new Int32Array(0), cells: new Float64Array(0) };
    const chunk: Chunk<Table> = { number: 0, table: this.#table, keys: [], ...none };
    index.addChunk(chunk);
    this.#chunks.push(chunk);
    this.#table.charge(this.#sizes.bytesOf(0));
    return chunk;
  }
}

/** A row's position in its chunk. */
export interface RowPosition<Table> {
  readonly chunk: Chunk<Table>;
  readonly at: number;
}

function slotIn({ number }: Chunk, at: number): number {
  return (number << CHUNK_BITS) | at;
}

function copyCells(from: Float64Array, source: number, to: Float64Array, target: number, count: number): void {
  for (let i = 0; i < count; i += 1) to[target + i] = from[source + i]!;
}
