/** A chunk has at most 2 to this power of slots, so no call allocates or copies more. */
export const CHUNK_BITS = 12;
export const CHUNK_MASK: number = 2 ** CHUNK_BITS - 1;
const MOST_BYTES_PER_CHUNK = 2 ** 18;
const FEWEST_SLOTS = 8;
/** The objects of a chunk, without what its arrays contain, as measured in V8. */
const BYTES_PER_CHUNK = 600;

/** The keys of some neighbouring slots of one table, with their hashes and cells. */
export interface Chunk<Table = unknown> {
  /** Identifies the chunk in its index. */
  number: number;
  readonly table: Table;
  readonly keys: string[];
  hashes: Int32Array;
  cells: Float64Array;
}

/** How the slots of a table are divided into chunks: the first one doubles, later ones are whole at once. */
export class ChunkSizes {
  readonly #bytesPerSlot: number;
  /** The slots of a whole chunk are 2 to this power. */
  readonly bits: number;

  constructor(width: number) {
    this.#bytesPerSlot = Float64Array.BYTES_PER_ELEMENT * width + Int32Array.BYTES_PER_ELEMENT;
    const most = Math.max(1, Math.floor(MOST_BYTES_PER_CHUNK / this.#bytesPerSlot));
    this.bits = Math.min(CHUNK_BITS, 31 - Math.clz32(most));
  }

  bytesOf(slots: number): number {
    return BYTES_PER_CHUNK + this.#bytesPerSlot * slots;
  }

  /** The slots of the chunk that grows, or is added, when a table with so many slots is full. */
  next(slots: number): number {
    const whole = 2 ** this.bits;
    return slots >= whole ? whole : Math.min(whole, Math.max(FEWEST_SLOTS, 2 * slots));
  }
}
