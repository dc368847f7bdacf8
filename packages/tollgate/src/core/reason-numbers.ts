/** How many UTF-16 units one number of a script call or reply has: they fit into 53 bits. */
const UNITS_PER_NUMBER = 3;
/** A unit, or 0 for none. */
const BASE = 2 ** 16 + 1;

/** A reason as numbers of three UTF-16 units each. */
export function encodeReason(reason = ""): number[] {
  const numbers: number[] = [];
  for (let from = 0; from < reason.length; from += UNITS_PER_NUMBER) {
    let number = 0;
    const last = Math.min(from + UNITS_PER_NUMBER, reason.length) - 1;
    for (let i = last; i >= from; i -= 1) number = number * BASE + reason.charCodeAt(i) + 1;
    numbers.push(number);
  }
  return numbers;
}

/** The reason that these numbers encode; `undefined` for an empty list. */
export function decodeReason(numbers: Iterable<number>): string | undefined {
  const units: number[] = [];
  for (const number of numbers) {
    for (let left = number; left > 0; left = Math.floor(left / BASE)) units.push((left % BASE) - 1);
  }
  return units.length === 0 ? undefined : String.fromCharCode(...units);
}
