/** A value with `*` anywhere: each stands for any text, also an empty one. */
export class Wildcard {
  readonly pattern: string;
  readonly #start: string;
  readonly #middle: readonly string[];
  readonly #end: string;

  constructor(pattern: string) {
    this.pattern = pattern;
    const parts = pattern.split("*");
    this.#start = parts[0]!;
    this.#end = parts[parts.length - 1]!;
    this.#middle = parts.slice(1, -1).filter((part) => part !== "");
  }

  /** Takes each part of the pattern at the first place where it fits, so nothing is tried twice. */
  matches(value: string): boolean {
    if (!(value.startsWith(this.#start) && value.endsWith(this.#end))) return false;
    const end = value.length - this.#end.length;
    let at = this.#start.length;
    for (const part of this.#middle) {
      const found = value.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= end;
  }
}
