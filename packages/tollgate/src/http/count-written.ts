/** A response to write to, loosely: what its functions take is passed on as it came. */
export interface Writable {
  write: (...parameters: unknown[]) => unknown;
  end: (...parameters: unknown[]) => unknown;
}

/** Counts the bytes that a response's `write` and `end` are given from here on. */
export function countWritten(
  response: Writable,
  sizeOf: (chunk: unknown, encoding: unknown) => number,
): { readonly bytes: number } {
  const count = { bytes: 0 };
  // One of the two may call the other.
  let counted = false;
  const counting = (write: Writable["write"]): Writable["write"] =>
    function writeCounted(this: unknown, chunk: unknown, encoding: unknown, ...others: unknown[]) {
      if (counted) return write.call(this, chunk, encoding, ...others);
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
