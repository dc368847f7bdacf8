import type { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import { textBytes } from "../../core/text-memory.ts";
import { grownSlots, leastSlots, slotsPerChunk, usefulSlots } from "./slot-growth.ts";

/** An element of an array of keys. Engines allocate half as many again. */
const BYTES_PER_ELEMENT = 12;
/** The objects of a chunk, without what its arrays contain, as measured in V8. */
const BYTES_PER_CHUNK = 600;

/** The keys of some neighbouring slots, with their hashes and cells. */
export interface KeyChunk {
  readonly keys: string[];
  hashes: Int32Array;
  cells: Float64Array;
  /** The kernels for whose origin the cells are stated, if that is not the table's. */
  statedBy: CompiledPlan | undefined;
}

/** What a slot without a chunk has. */
export const NO_KEYS: Pick<KeyChunk, "keys" | "cells"> = { keys: [], cells: new Float64Array(0) };

/** Restates a key's cells, which were written for the origin of `from`. */
export type Rebase = (cells: Float64Array, base: number, from: CompiledPlan) => void;

/**
 * The slots of a table: a key in each, with its hash and cells. Slots are dense: removing a key moves the last one into
 * its slot. They lie in chunks of one size, so that no call allocates or copies more than one chunk. Only the last
 * chunk may be smaller.
 */
export class KeySlots {
  size = 0;
  readonly width: number;
  /** A slot is at `slot & mask` of the chunk `slot >>> shift`. */
  readonly shift: number;
  readonly mask: number;
  #chunks: KeyChunk[] = [];
  #slots = 0;
  readonly #bytesPerSlot: number;
  #bytes = 0;
  readonly #charge: (bytes: number) => void;
  readonly #rebase: Rebase;

  constructor(width: number, charge: (bytes: number) => void, rebase: Rebase) {
    this.width = width;
    this.#bytesPerSlot = Float64Array.BYTES_PER_ELEMENT * width + Int32Array.BYTES_PER_ELEMENT;
    const wholeChunk = slotsPerChunk(this.#bytesPerSlot);
    this.mask = wholeChunk - 1;
    this.shift = 32 - Math.clz32(this.mask);
    this.#charge = charge;
    this.#rebase = rebase;
  }

  /** The bytes of one key, without its slot. */
  static bytesOf(key: string): number {
    return textBytes(key) + BYTES_PER_ELEMENT;
  }

  /** What the next key takes in addition to `bytesOf`: a chunk that grows is freed only after the copy. */
  get bytesForNext(): number {
    if (this.size < this.#slots) return 0;
    return BYTES_PER_CHUNK + this.#bytesPerSlot * leastSlots(this.size, this.#wholeChunk);
  }

  keyAt(slot: number): string {
    return this.#chunks[slot >>> this.shift]!.keys[slot & this.mask]!;
  }

  hashAt(slot: number): number {
    return this.#chunks[slot >>> this.shift]!.hashes[slot & this.mask]!;
  }

  /** The chunk of a slot, stated for the table's origin. */
  chunkOf(slot: number): KeyChunk {
    const chunk = this.#chunks[slot >>> this.shift]!;
    if (chunk.statedBy !== undefined) this.#restate(chunk, chunk.statedBy);
    return chunk;
  }

  /** Works like `chunkOf`, for a slot that may be gone with its chunk. */
  knownChunkOf(slot: number): typeof NO_KEYS {
    return slot >>> this.shift < this.#chunks.length ? this.chunkOf(slot) : NO_KEYS;
  }

  /** Adds a key of `bytes`, as returned by `bytesOf`, with the first cells of `source`. */
  add(key: string, bytes: number, hash: number, source: Float64Array, bytesLeft: number): void {
    if (this.size === this.#slots) this.#grow(Math.floor(bytesLeft / this.#bytesPerSlot));
    const { keys, hashes, cells } = this.chunkOf(this.size);
    const at = this.size & this.mask;
    keys.push(key);
    hashes[at] = hash;
    copyCells(source, 0, cells, at * this.width, this.width);
    this.size += 1;
    this.#account(bytes);
  }

  /** Removes the key of a slot. The last key takes its place. */
  remove(slot: number): void {
    const { width, mask } = this;
    const to = this.chunkOf(slot);
    const from = this.chunkOf(this.size - 1);
    this.#account(-KeySlots.bytesOf(to.keys[slot & mask]!));
    this.size -= 1;
    const last = from.keys[this.size & mask]!;
    from.keys.pop();
    if (slot === this.size) return;
    to.keys[slot & mask] = last;
    to.hashes[slot & mask] = from.hashes[this.size & mask]!;
    copyCells(from.cells, (this.size & mask) * width, to.cells, (slot & mask) * width, width);
  }

  clear(): void {
    this.size = 0;
    this.#slots = 0;
    this.#chunks = [];
    this.#account(-this.#bytes);
  }

  /** The table's origin moves: each chunk is restated when it is next needed. */
  moveOrigin(from: CompiledPlan): void {
    for (const chunk of this.#chunks) chunk.statedBy ??= from;
  }

  /** Gives spare slots back. */
  shrink(): void {
    const slots = usefulSlots(this.size, this.#wholeChunk);
    if (slots > this.#wholeChunk) this.#truncate(Math.ceil(slots / this.#wholeChunk));
    else if (2 * slots <= this.#slots) {
      this.#truncate(1);
      this.#resize(0, slots);
    }
  }

  get #wholeChunk(): number {
    return this.mask + 1;
  }

  #restate(chunk: KeyChunk, from: CompiledPlan): void {
    for (let at = 0; at < chunk.keys.length; at += 1) this.#rebase(chunk.cells, at * this.width, from);
    chunk.statedBy = undefined;
  }

  #grow(mostSlots: number): void {
    const index = this.size >>> this.shift;
    if (index === this.#chunks.length) this.#addChunk();
    this.#resize(index, grownSlots(this.size, this.#wholeChunk, mostSlots));
  }

  #addChunk(): void {
    this.#chunks.push({ keys: [], hashes: new Int32Array(0), cells: new Float64Array(0), statedBy: undefined });
    this.#account(BYTES_PER_CHUNK);
  }

  /** Replaces the arrays of the last chunk. */
  #resize(index: number, slots: number): void {
    const chunk = this.#chunks[index]!;
    const { keys, hashes, cells } = chunk;
    chunk.hashes = new Int32Array(slots);
    chunk.hashes.set(hashes.subarray(0, keys.length));
    chunk.cells = new Float64Array(slots * this.width);
    chunk.cells.set(cells.subarray(0, keys.length * this.width));
    this.#slots += slots - hashes.length;
    this.#account(this.#bytesPerSlot * (slots - hashes.length));
  }

  /** Lets all chunks go but the first `count`. */
  #truncate(count: number): void {
    const removed = this.#chunks.length - count;
    if (removed <= 0) return;
    const slots = count * this.#wholeChunk;
    this.#account(this.#bytesPerSlot * (slots - this.#slots) - BYTES_PER_CHUNK * removed);
    this.#slots = slots;
    this.#chunks.length = count;
  }

  #account(bytes: number): void {
    this.#bytes += bytes;
    this.#charge(bytes);
  }
}

function copyCells(from: Float64Array, source: number, to: Float64Array, target: number, count: number): void {
  for (let i = 0; i < count; i += 1) to[target + i] = from[source + i]!;
}
