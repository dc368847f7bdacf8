/** Rows that clients beyond the bound share, by their hash. */
const SHARED_ROWS = 4_096;
const BITMAP_BITS = 1 << 20;

/** A number for each client, up to a bound. Further clients share rows, which count several clients together. */
export class Clients {
  readonly #most: number;
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [];
  #isFull = false;
  /** Linear counting: which hashes of further clients have been seen. */
  #seen: Uint8Array | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  /** How many clients have a row of their own. Their numbers begin at 0. */
  get count(): number {
    return this.#names.length;
  }

  /** The client's name, by its number. */
  nameOf(client: number): string {
    return this.#names[client] ?? "(clients beyond the bound)";
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

  numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    if (this.#isFull) return this.#shared(name);
    const number = this.#names.length;
    // A copy: a part of a line would keep the whole chunk of text in memory.
    const copy = Buffer.from(name, "latin1").toString("latin1");
    this.#numbers.set(copy, number);
    this.#names.push(copy);
    this.#isFull = this.#names.length >= this.#most;
    return number;
  }

  #shared(name: string): number {
    const hash = hashOf(name);
    this.#seen ??= new Uint8Array(BITMAP_BITS >>> 3);
    const bit = hash & (BITMAP_BITS - 1);
    this.#seen[bit >>> 3] = this.#seen[bit >>> 3]! | (1 << (bit & 7));
    return this.#most + ((hash >>> 20) & (SHARED_ROWS - 1));
  }
}

/** FNV-1a, then mixed: its low bits alone tell short names badly apart. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i += 1) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) >>> 0;
}
