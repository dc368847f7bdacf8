import { createReadStream } from "node:fs";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";

/** A longer line is cut: it counts as one that cannot be read. */
const MOST_LINE = 65_536;
const CHUNK_BYTES = 1 << 20;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** The lines of a source so far. A source that is read to its end closes itself. */
export interface LineSource {
  /** The name in messages. */
  readonly name: string;
  /** Several lines at a time, in order. Text is Latin-1: one character a byte, so that UTF-8 passes unchanged. */
  batches(): AsyncGenerator<readonly string[], void>;
  /** How many bytes of the file have been read. */
  readonly bytesRead: number;
}

/** Reads a file, or standard input for `-`, plain or compressed by gzip. */
export function lineSource(name: string, stdin: Readable = process.stdin): LineSource {
  return new ByteLines(name, name === "-" ? stdin : createReadStream(name, { highWaterMark: CHUNK_BYTES }));
}

class ByteLines implements LineSource {
  readonly name: string;
  bytesRead = 0;
  readonly #bytes: Readable;

  constructor(name: string, bytes: Readable) {
    this.name = name === "-" ? "standard input" : name;
    this.#bytes = bytes;
  }

  async *batches(): AsyncGenerator<readonly string[], void> {
    let rest = "";
    for await (const text of this.#texts()) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > MOST_LINE) rest = rest.slice(0, MOST_LINE);
      yield lines;
    }
    if (rest !== "") yield [rest];
  }

  async *#texts(): AsyncGenerator<string, void> {
    const chunks = this.#counted();
    const first = await chunks.next();
    if (first.done === true) return;
    if (!first.value.subarray(0, 2).equals(GZIP_MAGIC)) {
      yield first.value.toString("latin1");
      for await (const chunk of chunks) yield chunk.toString("latin1");
      return;
    }
    const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
    const compressed = async function* () {
      yield first.value;
      yield* chunks;
    };
    // The loop below meets an error of either side.
    pipeline(compressed, gunzip, () => {});
    for await (const chunk of gunzip as AsyncIterable<Buffer>) yield chunk.toString("latin1");
  }

  async *#counted(): AsyncGenerator<Buffer, void> {
    const bytes: AsyncIterable<Buffer> = this.#bytes;
    for await (const chunk of bytes) {
      this.bytesRead += chunk.length;
      yield chunk;
    }
  }
}
