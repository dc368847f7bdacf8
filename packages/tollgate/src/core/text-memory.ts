/** Engines keep longer parts of a string as a view of the whole. */
const SHORTEST_VIEW = 13;
/** Longer strings are copied by slicing, which is faster, but makes a view, which is slower to compare. */
const LONGEST_BY_UNITS = 256;

/** The same text in memory of its own: a key that was cut out of a header must not keep the header in memory. */
export function ownCopy(key: string): string {
  const { length } = key;
  if (length < SHORTEST_VIEW) return key;
  if (length > LONGEST_BY_UNITS) return ` ${key}`.slice(1);
  const units = new Array<number>(length);
  for (let i = 0; i < length; i += 1) units[i] = key.charCodeAt(i);
  return String.fromCharCode.apply(undefined, units);
}

/** Makes engines keep a text whole: one that was put together is a tree of its parts until a unit of it is read. */
export function keepWhole(text: string): void {
  void text.charCodeAt(0);
}

const HEADER_BYTES = 16;
/** V8 allocates multiples of this. */
const WORD_BYTES = 8;

/**
 * The size of a string in V8: one byte per unit if all units are below 256, else two, and a header. Reads the whole
 * text.
 */
export function textBytes(text: string): number {
  const { length } = text;
  let anyUnit = 0;
  for (let i = 0; i < length; i += 1) anyUnit |= text.charCodeAt(i);
  const bytes = anyUnit > 0xff ? 2 * length : length;
  return HEADER_BYTES + Math.ceil(bytes / WORD_BYTES) * WORD_BYTES;
}
