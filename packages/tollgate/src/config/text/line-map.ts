/** Finds line and column of an offset. Lines end as in YAML: with CR, LF or both. */
export class LineMap {
  readonly #starts: readonly number[];

  constructor(text: string) {
    const starts = [0];
    for (const match of text.matchAll(/\r\n?|\n/g)) starts.push(match.index + match[0].length);
    this.#starts = starts;
  }

  /** Both count from 1; columns are UTF-16 units, as editors count them. */
  of(at: number): { readonly line: number; readonly column: number } {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#starts[middle]! <= at) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: at - this.#starts[low]! + 1 };
  }
}
