import { utf8Of } from "./latin1.ts";

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
  #names: Uint8Array = new Uint8Array(16_384);
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
    const name = Buffer.from(this.#names.subarray(this.#startOf(client), this.#ends[client]));
    return utf8Of(name.toString("latin1"));
  }

  /** About how many further clients there were. */
  get further(): number {
    return Math.round(BITMAP_BITS * Math.log(BITMAP_BITS / Math.max(1, this.#unseen)));
  }

  /** The number of a client whose name is Latin-1, one character a byte. */
  numberOf(name: string): number {
    if (name.length > MOST_NAME) return this.numberOf(shortened(name));
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
  #slotOf(hash: number, name: string | undefined): number {
    const slots = this.#slots;
    const last = slots.length - 1;
    let slot = (2 * hash) & last;
    for (; slots[slot + 1] !== 0; slot = (slot + 2) & last) {
      if (name !== undefined && slots[slot] === hash && this.#hasName(slots[slot + 1]! - 1, name)) break;
    }
    return slot;
  }

  #hasName(client: number, name: string): boolean {
    const start = this.#startOf(client);
    if (this.#ends[client]! - start !== name.length) return false;
    for (let at = 0; at < name.length; at += 1) if (this.#names[start + at] !== name.charCodeAt(at)) return false;
    return true;
  }

  #add(name: string): number {
    const client = this.count;
    const start = this.#startOf(client);
    const end = start + name.length;
    if (end > this.#names.length) this.#names = grown(this.#names, new Uint8Array(1.5 * this.#names.length));
    if (client === this.#ends.length) this.#ends = grown(this.#ends, new Uint32Array(2 * client));
    for (let at = 0; at < name.length; at += 1) this.#names[start + at] = name.charCodeAt(at);
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

function grown<Numbers extends Uint8Array | Uint32Array>(numbers: Numbers, larger: Numbers): Numbers {
  larger.set(numbers);
  return larger;
}

const FNV_BASIS = 0x811c9dc5;

/** FNV-1a, then mixed: its low bits alone tell short names badly apart. */
function hashOf(name: string, basis: number): number {
  let hash = basis;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) >>> 0;
}

function shortened(name: string): string {
  const hashes = [FNV_BASIS, 1].map((basis) => hashOf(name, basis).toString(16).padStart(8, "0"));
  return `${name.slice(0, MOST_NAME - HASH_DIGITS - 1)}~${hashes.join("")}`;
}
