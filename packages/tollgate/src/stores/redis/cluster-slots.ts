import clusterKeySlot from "cluster-key-slot";

/** The cluster slot of a key. */
export function slotOf(name: string): number {
  return clusterKeySlot(name);
}

/** So many octal digits lead a text to any slot. */
const DIGITS = 6;

/** Finds digits after a text by which it is in a slot. A slot is a CRC: digits change it alike after every text. */
export class SlotDigits {
  /** By how they change a slot, bit by bit. */
  readonly #numbers = new Map([[0, 0]]);

  constructor() {
    for (let bit = 1; bit < 8 ** DIGITS; bit *= 2) {
      const change = slotOf(octal(bit)) ^ slotOf(octal(0));
      if (this.#numbers.has(change)) continue;
      for (const [other, number] of [...this.#numbers]) this.#numbers.set(other ^ change, number + bit);
    }
  }

  to(slot: number, text: string): string {
    return octal(this.#numbers.get(slot ^ slotOf(text + octal(0))) ?? 0);
  }
}

function octal(number: number): string {
  return number.toString(8).padStart(DIGITS, "0");
}
