import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { detectFormat } from "./formats/detect.ts";
import { type Entry, emptyEntry, type LogFormat, readText, textOf } from "./formats/entry.ts";
import { forEachLine, isBlank, lineSource } from "./lines.ts";
import { LogError } from "./log-error.ts";
import { printable } from "./report/markup.ts";

/** How many lines tell the format. */
const FIRST_LINES = 50;
const TAIL_BYTES = 65_536;

/** The beginning of a log, which tells its format and its first moment. */
export interface LogHead {
  readonly format: LogFormat;
  readonly firstUs: number;
  /** What was read of up to three of its lines. */
  readonly samples: readonly Readonly<Entry>[];
}

/** @throws LogError if no format reads any of the first lines. */
export function headOf(name: string, bytes: Buffer, client: string | undefined): LogHead {
  const first: string[] = [];
  forEachLine(bytes, (start, end) => first.length < FIRST_LINES && first.push(textOf(bytes, start, end)));
  const format = detectFormat(first, client);
  if (format === undefined) {
    const got = JSON.stringify(printable(first[0] ?? ""));
    throw new LogError(
      `${name}: expected lines of an access log (common, combined, JSON, ALB, CloudFront, Envoy), got ${got}`,
    );
  }
  const entries: Entry[] = [];
  for (const line of first) {
    const entry = emptyEntry(true);
    if (readText(format, line, entry) === "request") entries.push(entry);
  }
  const samples = entries.slice(0, 3);
  return { format, firstUs: middleOf(samples.map(({ timeUs }) => timeUs)), samples };
}

/** The middle one, so that a single wrong clock does not count. */
function middleOf(timesUs: readonly number[]): number {
  return [...timesUs].sort((one, other) => one - other)[timesUs.length >> 1] ?? Number.NaN;
}

/** Reads the head of a file alone. `undefined` for an empty one. */
export async function readHead(file: string, client: string | undefined): Promise<LogHead | undefined> {
  for await (const bytes of lineSource(file).batches()) {
    if (!isBlank(bytes)) return headOf(file, bytes, client);
  }
  return undefined;
}

/** The moment of the last lines of a file. What is compressed has to be read to its end for that. */
export async function lastMoment(file: string, { format }: LogHead): Promise<number> {
  let bytes = tailOf(file);
  if (bytes === undefined) for await (bytes of lineSource(file).batches());
  if (bytes === undefined) return Number.NaN;
  const entry = emptyEntry(false);
  let last: readonly number[] = [];
  forEachLine(bytes, (start, end) => {
    if (format.read(bytes, start, end, entry) === "request") last = [...last.slice(-2), entry.timeUs];
  });
  return middleOf(last);
}

/** The end of a file; `undefined` if it is compressed. */
function tailOf(file: string): Buffer | undefined {
  const descriptor = openSync(file, "r");
  try {
    const { size } = fstatSync(descriptor);
    const magic = Buffer.alloc(2);
    readSync(descriptor, magic, 0, 2, 0);
    if (magic[0] === 0x1f && magic[1] === 0x8b) return undefined;
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, size - bytes.length));
  } finally {
    closeSync(descriptor);
  }
}
