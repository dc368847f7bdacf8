/** The longest text of a key that is kept. */
const LONGEST = 128;
/** How much of a longer text is kept. */
const BEGINNING = 100;

/** A key as it is kept: a longer text is cut, and a hash of the whole tells it from others that begin alike. */
export function keptText(key: string): string {
  if (key.length <= LONGEST) return key;
  const hash = [0, 1].map((seed) => hashText(key, seed).toString(16).padStart(8, "0")).join("");
  return `${key.slice(0, BEGINNING)}…${hash}`;
}

/** Odd numbers of MurmurHash3, whose last steps mix the bits here. */
const UNIT_FACTOR = 0xcc9e2d51;
const FIRST_FACTOR = 0x85ebca6b;
const SECOND_FACTOR = 0xc2b2ae35;

/** 32 bits of a text and a seed. */
function hashText(text: string, seed: number): number {
  let hash = seed | 0;
  for (let i = 0; i < text.length; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), UNIT_FACTOR);
    hash = (hash << 13) | (hash >>> 19);
  }
  hash = Math.imul(hash ^ (hash >>> 16), FIRST_FACTOR);
  hash = Math.imul(hash ^ (hash >>> 13), SECOND_FACTOR);
  return (hash ^ (hash >>> 16)) >>> 0;
}
