/** Engines keep longer pieces of a string as a view of the whole. */
const SHORTEST_VIEW = 13;
/** What is longer is copied as text: quicker to make, but itself a view, which is slower to compare. */
const LONGEST_BY_UNITS = 256;

/** The same text in memory of its own: a key cut out of a header must not keep the header. */
export function ownCopy(key: string): string {
  const { length } = key;
  if (length < SHORTEST_VIEW) return key;
  if (length > LONGEST_BY_UNITS) return ` ${key}`.slice(1);
  const units = new Array<number>(length);
  for (let i = 0; i < length; i += 1) units[i] = key.charCodeAt(i);
  return String.fromCharCode.apply(undefined, units);
}
