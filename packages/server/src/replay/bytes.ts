/** A part of a buffer, such as a line of a log. Each line of a buffer is shown by the same one. */
export interface Bytes {
  buffer: Buffer;
  start: number;
  end: number;
}

export function textOf({ buffer, start, end }: Bytes): string {
  return buffer.toString("utf8", start, end);
}

export function bytesOf(text: string): Bytes {
  const buffer = Buffer.from(text);
  return { buffer, start: 0, end: buffer.length };
}

/** Where a byte is, or -1. */
export function indexOf(byte: number, { buffer, end }: Bytes, start: number): number {
  for (let at = start; at < end; at += 1) if (buffer[at] === byte) return at;
  return -1;
}

/** Whether two buffers have the same bytes from these on. */
export function hasSame(one: Buffer, from: number, other: Buffer, start: number, length: number): boolean {
  for (let at = 0; at < length; at += 1) if (one[from + at] !== other[start + at]) return false;
  return true;
}
