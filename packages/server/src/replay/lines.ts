import { createReadStream, statSync } from "node:fs";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";

/** A longer line is cut: it counts as one that cannot be read. */
const MOST_LINE = 65_536;
const CHUNK_BYTES = 1 << 20;
const LINE_FEED = 10;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** The lines of a source so far. A source that is read to its end closes itself. */
export interface LineSource {
  /** The name in messages. */
  readonly name: string;
  /** Several whole lines at a time, in order, each with its line feed but the last one of all. */
  batches(): AsyncGenerator<Buffer, void>;
  /** How many bytes of the file have been read. */
  readonly bytesRead: number;
}

/**
 * Reads a file, or standard input for `-`, plain or compressed by gzip. What a server appends meanwhile is left out, so
 * that the reading ends.
 */
export function lineSource(name: string, stdin: Readable = process.stdin): LineSource {
  const end = isPipe(name) ? Number.POSITIVE_INFINITY : Math.max(0, statSync(name).size - 1);
  return new ByteLines(name, name === "-" ? stdin : createReadStream(name, { highWaterMark: CHUNK_BYTES, end }));
}

/** Whether a log can be read once only, as standard input and what a shell's `<(…)` names. */
export function isPipe(name: string): boolean {
  return name === "-" || !statSync(name).isFile();
}

class ByteLines implements LineSource {
  readonly name: string;
  bytesRead = 0;
  readonly #bytes: Readable;

  constructor(name: string, bytes: Readable) {
    this.name = name === "-" ? "standard input" : name;
    this.#bytes = bytes;
  }

  async *batches(): AsyncGenerator<Buffer, void> {
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of this.#plain()) {
      const last = chunk.lastIndexOf(LINE_FEED) + 1;
      if (last === 0) {
        rest = Buffer.concat([rest, chunk.subarray(0, MOST_LINE - rest.length)]);
        continue;
      }
      // The line that began in the chunk before is put together alone, so that the others need no copy.
      const first = rest.length === 0 ? 0 : chunk.indexOf(LINE_FEED) + 1;
      if (first > 0) yield Buffer.concat([rest, chunk.subarray(0, first)]);
      if (last > first) yield chunk.subarray(first, last);
      rest = chunk.subarray(last, last + MOST_LINE);
    }
    if (rest.length > 0) yield rest;
  }

  async *#plain(): AsyncGenerator<Buffer, void> {
    const chunks = this.#counted();
    const first = await chunks.next();
    if (first.done === true) return;
    const bytes = async function* () {
      yield first.value;
      yield* chunks;
    };
    if (!first.value.subarray(0, 2).equals(GZIP_MAGIC)) {
      yield* bytes();
      return;
    }
    const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
    // The loop below meets an error of either side.
    pipeline(bytes, gunzip, () => {});
    yield* gunzip as AsyncIterable<Buffer>;
  }

  async *#counted(): AsyncGenerator<Buffer, void> {
    const bytes: AsyncIterable<Buffer> = this.#bytes;
    for await (const chunk of bytes) {
      this.bytesRead += chunk.length;
      yield chunk;
    }
  }
}

/** Whether bytes have empty lines only. */
export function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === LINE_FEED || byte === CARRIAGE_RETURN);
}

/** Calls back with where each line begins and ends, without its line feed and carriage return; not for empty ones. */
export function forEachLine(bytes: Buffer, take: (start: number, end: number) => void): void {
  let start = 0;
  while (start < bytes.length) {
    const feed = bytes.indexOf(LINE_FEED, start);
    const next = feed < 0 ? bytes.length : feed;
    const end = next > start && bytes[next - 1] === CARRIAGE_RETURN ? next - 1 : next;
    if (end > start) take(start, end);
    start = next + 1;
  }
}

const CARRIAGE_RETURN = 13;
