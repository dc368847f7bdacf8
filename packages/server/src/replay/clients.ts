/** Rows that clients beyond the bound share, by their hash. */
const SHARED_ROWS = 4_096;
const BITMAP_BITS = 1 << 20;
/** Longer names are kept as their beginning and a hash of the whole. */
const MOST_NAME = 48;
const HASH_DIGITS = 16;

/** A number for each client, up to a bound. Further clients share rows, which count several clients together. */
export class Clients {
  /** How many clients have a row of their own. Their numbers begin at 0. */
  count = 0;
  readonly #most: number;
  /** The names, one after another, and where each ends. */
  #names: Uint8Array = new Uint8Array(16_384);
  #ends = new Uint32Array(1_024);
  /** Open addressing: the hash of a client, then its number and 1, at the first free pair from its hash. */
  #slots = new Uint32Array(4_096);
  /** Linear counting: which hashes of further clients have been seen. */
  #seen: Uint8Array | undefined;
  #scratch: Buffer = Buffer.alloc(256);

  constructor(most: number) {
    this.#most = most;
  }

  /** The client's name, by its number. */
  nameOf(client: number): string {
    if (client >= this.count) return "(clients beyond the bound)";
    return Buffer.from(this.#names.subarray(this.#startOf(client), this.#ends[client])).toString("utf8");
  }

  /** Whether the row is one that clients share. */
  isShared(client: number): boolean {
    return client >= this.#most;
  }

  /** About how many further clients there were. */
  get further(): number {
    if (this.#seen === undefined) return 0;
    let zeros = 0;
    for (let bit = 0; bit < BITMAP_BITS; bit += 1) {
      if (((this.#seen[bit >>> 3]! >>> (bit & 7)) & 1) === 0) zeros += 1;
    }
    return zeros === 0 ? BITMAP_BITS * 14 : Math.round(BITMAP_BITS * Math.log(BITMAP_BITS / zeros));
  }

  /** The number of a client whose name is text, one character a byte. */
  numberOfText(name: string): number {
    if (name.length > this.#scratch.length) this.#scratch = Buffer.alloc(2 * name.length);
    return this.numberOf(this.#scratch, 0, this.#scratch.write(name, "latin1"));
  }

  /** The number of the client whose name the bytes have from `start` to `end`. */
  numberOf(bytes: Uint8Array, start: number, end: number): number {
    if (end - start > MOST_NAME) return this.numberOfText(shortened(bytes, start, end));
    const hash = hashOf(bytes, start, end, FNV_BASIS);
    const slots = this.#slots;
    let slot = firstSlot(hash, slots);
    for (let known = slots[slot + 1]!; known !== 0; known = slots[slot + 1]!) {
      if (slots[slot] === hash && this.#hasName(known - 1, bytes, start, end)) return known - 1;
      slot = nextSlot(slot, slots);
    }
    if (this.count >= this.#most) return this.#shared(hash);
    slots[slot] = hash;
    slots[slot + 1] = this.count + 1;
    return this.#add(bytes, start, end);
  }

  #add(bytes: Uint8Array, start: number, end: number): number {
    const client = this.count;
    const from = this.#startOf(client);
    const to = from + end - start;
    if (to > this.#names.length) this.#names = grown(this.#names, new Uint8Array(1.5 * this.#names.length));
    if (client === this.#ends.length) this.#ends = grown(this.#ends, new Uint32Array(2 * client));
    this.#names.set(bytes.subarray(start, end), from);
    this.#ends[client] = to;
    this.count += 1;
    if (this.count * 8 > this.#slots.length * 3) this.#rehash();
    return client;
  }

  #rehash(): void {
    const old = this.#slots;
    const slots = new Uint32Array(2 * old.length);
    for (let from = 0; from < old.length; from += 2) {
      if (old[from + 1] === 0) continue;
      let slot = firstSlot(old[from]!, slots);
      while (slots[slot + 1] !== 0) slot = nextSlot(slot, slots);
      slots[slot] = old[from]!;
      slots[slot + 1] = old[from + 1]!;
    }
    this.#slots = slots;
  }

  #hasName(client: number, bytes: Uint8Array, start: number, end: number): boolean {
    let at = this.#startOf(client);
    if (this.#ends[client]! - at !== end - start) return false;
    for (let index = start; index < end; index += 1, at += 1) if (this.#names[at] !== bytes[index]) return false;
    return true;
  }

  #startOf(client: number): number {
    return client === 0 ? 0 : this.#ends[client - 1]!;
  }

  #shared(hash: number): number {
    this.#seen ??= new Uint8Array(BITMAP_BITS >>> 3);
    const bit = hash & (BITMAP_BITS - 1);
    this.#seen[bit >>> 3] = this.#seen[bit >>> 3]! | (1 << (bit & 7));
    return this.#most + ((hash >>> 20) & (SHARED_ROWS - 1));
  }
}

function grown<Numbers extends Uint8Array | Uint32Array>(numbers: Numbers, larger: Numbers): Numbers {
  larger.set(numbers);
  return larger;
}

function firstSlot(hash: number, slots: Uint32Array): number {
  return (2 * hash) & (slots.length - 1);
}

function nextSlot(slot: number, slots: Uint32Array): number {
  return (slot + 2) & (slots.length - 1);
}

const FNV_BASIS = 0x811c9dc5;

/** FNV-1a, then mixed: its low bits alone tell short names badly apart. */
function hashOf(bytes: Uint8Array, start: number, end: number, basis: number): number {
  let hash = basis;
  for (let index = start; index < end; index += 1) hash = Math.imul(hash ^ bytes[index]!, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) >>> 0;
}

function shortened(bytes: Uint8Array, start: number, end: number): string {
  const beginning = Buffer.from(bytes.subarray(start, start + MOST_NAME - HASH_DIGITS - 1)).toString("latin1");
  const hashes = [FNV_BASIS, 1].map((basis) => hashOf(bytes, start, end, basis).toString(16).padStart(8, "0"));
  return `${beginning}~${hashes.join("")}`;
}
