/** Where a call took its units: from the key's own cells, or from an overflow bucket. */
export type TakenWhere = "own" | "overflow";

/**
 * What a decision took from one key of one space. A correction (`refund` or `renew`) acts on it. It does nothing where
 * it no longer holds: after a reset, when the units have left, or when the key is counted somewhere else by now.
 */
export interface Taken {
  readonly where: TakenWhere;
  /** Why the store was unavailable, if its fallback took the units. They are corrected there. */
  readonly degraded: string | undefined;
  /**
   * How many resets the store had made before the call; the moment of the decision, if a server supplies the time.
   * After a reset of the key, a correction does nothing.
   */
  readonly resets: number;
  /**
   * For each limit, when the units leave at the latest if nothing else is taken, in microseconds: by the store's time
   * if the report said so (`Report.untilUs`), otherwise by the limiter's clock. From then on a correction does nothing.
   * It also identifies a window, a group of a sliding window, and a place.
   */
  readonly untilUs: readonly number[];
}

/** A take that its space can undo: a space writes what it needs into it. */
export class UndoRecord {
  /** What a space needs to find the cells again, such as a table; `undefined` if nothing was taken. */
  table: object | undefined = undefined;
  key = "";
  /** Where the cells begin. */
  at = 0;
  /** Whether the call made the key. */
  isNew = false;
  /** The cells before the call, or the costs that it took. */
  readonly numbers: number[] = [];

  /** Notes the cells of a key before the call. */
  note(cells: Float64Array, at: number, width: number): void {
    this.at = at;
    for (let i = 0; i < width; i += 1) this.numbers[i] = cells[at + i]!;
  }
}
