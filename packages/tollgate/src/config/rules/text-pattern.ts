/** Browsers send no longer cookies. */
const LONGEST_SEARCHED = 4_096;

/**
 * A text in which `*` stands for any characters. It takes linear time for any text: the parts between stars are
 * searched one after another, each from the end of the one before, and patterns have at most 256 characters.
 * An empty text matches the empty pattern alone: a fact that is missing is empty. In a longer text than 4,096 units,
 * nothing is searched, and it matches if its ends do: clients could slow down all requests by long texts.
 */
export class TextPattern {
  /** Set if the pattern has no star. */
  readonly exact: string | undefined;
  /** What stands before the first star, and after the last. */
  readonly start: string;
  readonly end: string;
  readonly #middle: readonly string[];

  constructor(pattern: string) {
    const parts = pattern.split("*");
    this.exact = parts.length === 1 ? pattern : undefined;
    this.start = parts[0] ?? "";
    this.end = parts.at(-1) ?? "";
    this.#middle = parts.slice(1, -1).filter((part) => part !== "");
  }

  matches(text: string): boolean {
    if (this.exact !== undefined) return text === this.exact;
    if (text === "" || !text.startsWith(this.start)) return false;
    const end = text.length - this.end.length;
    let at = this.start.length;
    if (end < at || !text.endsWith(this.end)) return false;
    if (text.length > LONGEST_SEARCHED) return true;
    for (const part of this.#middle) {
      const found = text.indexOf(part, at);
      at = found + part.length;
      if (found < 0 || at > end) return false;
    }
    return true;
  }
}
