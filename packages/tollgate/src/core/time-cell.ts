/**
 * A moment in whole microseconds since the Unix epoch, as the only element of a typed array. Engines allocate a box for
 * so large a number whenever they pass it to a function that is not inlined, or return it from one. The owner of a cell
 * reuses it for one moment after another; all others only read it.
 *
 * Code that needs the moment later copies it: `own[0] = now[0]!`.
 */
export type TimeCell = Float64Array;

/**
 * A cell to write moments into.
 *
 * @example
 * ```ts
 * import { createTimeCell } from "tollgate/store";
 *
 * const now = createTimeCell(1_000_000);
 * const kept = createTimeCell();
 * kept.set(now); // the owner of `now` reuses it
 * now[0] = 2_000_000;
 * console.log(kept[0], now[0]); // 1000000 2000000
 * ```
 */
export function createTimeCell(us = 0): TimeCell {
  const cell = new Float64Array(1);
  cell[0] = us;
  return cell;
}
