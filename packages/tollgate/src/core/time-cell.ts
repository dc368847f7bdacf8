/**
 * A moment in whole microseconds since the epoch, as the only element of an array: so large a number is boxed, and that is
 * allocated, whenever it is handed to a function that the engine does not inline. Whoever is given one only reads it.
 */
export type TimeCell = Float64Array;

/** An instant to write moments into. */
export function createTimeCell(us = 0): TimeCell {
  return new Float64Array([us]);
}
