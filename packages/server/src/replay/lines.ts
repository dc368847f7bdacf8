import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Bytes } from "./bytes.ts";

/** A longer line is cut: it counts as one that cannot be read. */
const MOST_LINE = 65_536;
const CHUNK_BYTES = 262_144;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** Pieces of bytes. Each holds until the next one is asked for. */
export type Chunks = AsyncGenerator<Buffer, void>;

/** Whether a log can be read once only, as standard input and what a shell's `<(…)` names. */
export function isPipe(name: string): boolean {
  return name === "-" || !statSync(name).isFile();
}

/**
 * Reads a file, or standard input for `-`. What a server appends meanwhile is left out, so that the reading ends.
 *
 * @param start The first byte of a file that is read.
 */
export async function* chunksOf(name: string, start = 0): Chunks {
  if (name === "-") {
    yield* process.stdin as AsyncIterable<Buffer, void>;
    return;
  }
  // One buffer for all of a file, and no stream: new buffers would take as long as all the rest.
  const descriptor = openSync(name, "r");
  try {
    const stat = fstatSync(descriptor);
    const end = stat.isFile() ? stat.size : Number.POSITIVE_INFINITY;
    const buffer = Buffer.alloc(CHUNK_BYTES);
    for (let at = start; at < end; ) {
      const length = readSync(descriptor, buffer, 0, Math.min(CHUNK_BYTES, end - at), stat.isFile() ? at : null);
      if (length === 0) return;
      at += length;
      yield buffer.subarray(0, length);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** The bytes of a log, plain or compressed by gzip: several whole lines at a time. */
export async function* linesOf(chunks: Chunks): Chunks {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of plain(chunks)) {
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      // The line that began in the piece before goes alone, because to join it with the others would copy them all.
      const start = rest.length === 0 ? 0 : chunk.indexOf(LINE_FEED) + 1;
      if (start > 0) yield Buffer.concat([rest, chunk.subarray(0, start)]);
      yield chunk.subarray(start, end);
      rest = rest.subarray(0, 0);
    }
    rest = Buffer.concat([rest, chunk.subarray(end, end + MOST_LINE - rest.length)]);
  }
  yield rest;
}

async function* plain(chunks: Chunks): Chunks {
  try {
    const { value: first } = await chunks.next();
    if (first === undefined) return;
    const isGzip = first.subarray(0, 2).equals(GZIP_MAGIC);
    const all = async function* (): Chunks {
      yield first;
      for await (const chunk of chunks) yield isGzip ? Buffer.from(chunk) : chunk;
    };
    // What reads it meets an error of either side.
    yield* isGzip
      ? (pipeline(all, createGunzip({ chunkSize: CHUNK_BYTES }), () => {}) as AsyncIterable<Buffer>)
      : all();
  } finally {
    await chunks.return?.();
  }
}

/** The lines of a buffer. */
export function linesIn(buffer: Buffer): Bytes[] {
  const lines: Bytes[] = [];
  forEachLine(buffer, (line) => lines.push({ ...line }));
  return lines;
}

/** Calls back with each line that is not empty, without its line feed and carriage return. */
export function forEachLine(buffer: Buffer, take: (line: Bytes) => void): void {
  const line = { buffer, start: 0, end: 0 };
  for (let start = 0; start < buffer.length; ) {
    const feed = buffer.indexOf(LINE_FEED, start);
    const next = feed < 0 ? buffer.length : feed;
    const end = next > start && buffer[next - 1] === CARRIAGE_RETURN ? next - 1 : next;
    line.start = start;
    line.end = Math.min(end, start + MOST_LINE);
    if (end > start) take(line);
    start = next + 1;
  }
}
