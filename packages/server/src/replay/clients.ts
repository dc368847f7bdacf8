import { type Bytes, hasSame } from "./bytes.ts";

const BITMAP_BITS = 1 << 20;
/** Longer names are kept as their beginning and a hash of the whole. */
const MOST_NAME = 48;
const HASH_DIGITS = 16;

/**
 * A number for each client, up to a bound; further clients share the number behind it. A `Map` of texts takes several
 * times as long, because each of its keys lies elsewhere in memory.
 */
export class Clients {
  /** How many clients have a number of their own. The numbers begin at 0. */
  count = 0;
  readonly most: number;
  /** The names, one after another, and where each ends. */
  #names: Buffer = Buffer.alloc(16_384);
  #ends = new Uint32Array(1_024);
  /** Open addressing: the hash of a client, then its number and 1, at the first free pair from its hash. */
  #slots = new Uint32Array(4_096);
  /** Linear counting: which hashes of further clients have been seen, and how many bits have not. */
  #seen: Uint8Array | undefined;
  #unseen = BITMAP_BITS;

  constructor(most: number) {
    this.most = most;
  }

  /** The client's name, by its number. */
  nameOf(client: number): string {
    if (client === this.most) return "(clients beyond the bound)";
    return this.#names.toString("utf8", this.#startOf(client), this.#ends[client]);
  }

  /** About how many further clients there were. */
  get further(): number {
    return Math.round(BITMAP_BITS * Math.log(BITMAP_BITS / Math.max(1, this.#unseen)));
  }

  /** The number of the client of a name. */
  numberOf(name: Bytes): number {
    if (name.end - name.start > MOST_NAME) return this.numberOf(shortened(name));
    const hash = hashOf(name, FNV_BASIS);
    const slot = this.#slotOf(hash, name);
    const known = this.#slots[slot + 1]!;
    if (known !== 0) return known - 1;
    if (this.count === this.most) return this.#further(hash);
    this.#slots[slot] = hash;
    this.#slots[slot + 1] = this.count + 1;
    return this.#add(name);
  }

  /** Where the client is, or the free place for it. Without a name, a free place. */
  #slotOf(hash: number, name: Bytes | undefined): number {
    const slots = this.#slots;
    const last = slots.length - 1;
    let slot = (2 * hash) & last;
    for (; slots[slot + 1] !== 0; slot = (slot + 2) & last) {
      if (name !== undefined && slots[slot] === hash && this.#hasName(slots[slot + 1]! - 1, name)) break;
    }
    return slot;
  }

  #hasName(client: number, { buffer, start, end }: Bytes): boolean {
    const from = this.#startOf(client);
    return this.#ends[client]! - from === end - start && hasSame(this.#names, from, buffer, start, end - start);
  }

  #add({ buffer, start, end: nameEnd }: Bytes): number {
    const client = this.count;
    const from = this.#startOf(client);
    const end = from + nameEnd - start;
    if (end > this.#names.length) this.#names = grown(this.#names, Buffer.alloc(1.5 * this.#names.length));
    if (client === this.#ends.length) this.#ends = grown(this.#ends, new Uint32Array(2 * client));
    buffer.copy(this.#names, from, start, nameEnd);
    this.#ends[client] = end;
    this.count += 1;
    if (this.count * 8 > this.#slots.length * 3) this.#rehash();
    return client;
  }

  #rehash(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(2 * old.length);
    for (let from = 0; from < old.length; from += 2) {
      if (old[from + 1] !== 0) this.#slots.set(old.subarray(from, from + 2), this.#slotOf(old[from]!, undefined));
    }
  }

  #startOf(client: number): number {
    return client === 0 ? 0 : this.#ends[client - 1]!;
  }

  #further(hash: number): number {
    this.#seen ??= new Uint8Array(BITMAP_BITS);
    const bit = hash & (BITMAP_BITS - 1);
    if (this.#seen[bit] === 0) this.#unseen -= 1;
    this.#seen[bit] = 1;
    return this.most;
  }
}

function grown<Numbers extends Buffer | Uint32Array>(numbers: Numbers, larger: Numbers): Numbers {
  larger.set(numbers);
  return larger;
}

const FNV_BASIS = 0x811c9dc5;

/** FNV-1a, then mixed: its low bits alone tell short names badly apart. */
function hashOf({ buffer, start, end }: Bytes, basis: number): number {
  let hash = basis;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ buffer[at]!, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) >>> 0;
}

function shortened(name: Bytes): Bytes {
  const hashes = [FNV_BASIS, 1].map((basis) => hashOf(name, basis).toString(16).padStart(8, "0"));
  const beginning = name.buffer.subarray(name.start, name.start + MOST_NAME - HASH_DIGITS - 1);
  return { buffer: Buffer.concat([beginning, Buffer.from(`~${hashes.join("")}`)]), start: 0, end: MOST_NAME };
}
