/** A response to write to, loosely: what its functions take is passed on as it came. */
export interface Writable {
  readonly writableEnded: boolean;
  write: (...parameters: unknown[]) => unknown;
  end: (...parameters: unknown[]) => unknown;
}

/** The bytes of a chunk in an encoding: 0 for what is no chunk. */
export type SizeOf = (chunk: unknown, encoding: unknown) => number;

/** Counts the bytes that a response's `write` and `end` are given from here on. */
export function countWritten(response: Writable, sizeOf: SizeOf): { readonly bytes: number } {
  const count = { bytes: 0 };
  // One of the two may call the other.
  let counted = false;
  const counting = (write: Writable["write"]): Writable["write"] =>
    function writeCounted(this: unknown, chunk: unknown, encoding: unknown, ...others: unknown[]) {
      // What comes after the end is not sent.
      if (counted || response.writableEnded) return write.call(this, chunk, encoding, ...others);
      counted = true;
      try {
        count.bytes += sizeOf(chunk, encoding);
        return write.call(this, chunk, encoding, ...others);
      } finally {
        counted = false;
      }
    };
  response.write = counting(response.write);
  response.end = counting(response.end);
  return count;
}
