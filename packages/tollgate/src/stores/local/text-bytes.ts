const HEADER_BYTES = 16;
/** What V8 allocates is a multiple of this. */
const WORD_BYTES = 8;

/**
 * What a string takes in V8: a byte a unit if all units are below 256, two otherwise, and a header. Reads all of it.
 */
export function textBytes(text: string): number {
  const { length } = text;
  let anyUnit = 0;
  for (let i = 0; i < length; i += 1) anyUnit |= text.charCodeAt(i);
  const bytes = anyUnit > 0xff ? 2 * length : length;
  return HEADER_BYTES + Math.ceil(bytes / WORD_BYTES) * WORD_BYTES;
}
