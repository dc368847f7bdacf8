/**
 * A text in which `*` stands for any characters. It takes linear time for any text: the parts between stars are
 * searched one after another, each from the end of the one before, by the algorithm of Knuth, Morris and Pratt (1977).
 * An empty text matches the empty pattern alone: a fact that is missing is empty.
 */
export class TextPattern {
  /** Set if the pattern has no star. */
  readonly exact: string | undefined;
  readonly #first: string;
  readonly #last: string;
  readonly #middle: readonly Part[];

  constructor(pattern: string) {
    const parts = pattern.split("*");
    this.exact = parts.length === 1 ? pattern : undefined;
    this.#first = parts[0] ?? "";
    this.#last = parts.at(-1) ?? "";
    this.#middle = parts.slice(1, -1).flatMap((part) => (part === "" ? [] : [new Part(part)]));
  }

  matches(text: string): boolean {
    if (this.exact !== undefined) return text === this.exact;
    if (text === "" || !text.startsWith(this.#first)) return false;
    const end = text.length - this.#last.length;
    let at = this.#first.length;
    if (end < at || !text.endsWith(this.#last)) return false;
    for (const part of this.#middle) {
      at = part.endIn(text, at, end);
      if (at < 0) return false;
    }
    return true;
  }
}

/** A text to search for. */
class Part {
  readonly #text: string;
  /** For each prefix, the length of its longest proper prefix that is a suffix of it, too. */
  readonly #borders: readonly number[];

  constructor(text: string) {
    const borders = [0];
    let length = 0;
    for (let i = 1; i < text.length; i += 1) {
      while (length > 0 && text[i] !== text[length]) length = borders[length - 1]!;
      if (text[i] === text[length]) length += 1;
      borders.push(length);
    }
    this.#text = text;
    this.#borders = borders;
  }

  /** Where its first occurrence between two indexes ends, or -1. */
  endIn(text: string, from: number, until: number): number {
    let length = 0;
    for (let i = from; i < until; i += 1) {
      const code = text.charCodeAt(i);
      while (length > 0 && code !== this.#text.charCodeAt(length)) length = this.#borders[length - 1]!;
      if (code === this.#text.charCodeAt(length)) length += 1;
      if (length === this.#text.length) return i + 1;
    }
    return -1;
  }
}
