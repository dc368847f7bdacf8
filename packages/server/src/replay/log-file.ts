import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { detectFormat } from "./formats/detect.ts";
import { type Entry, emptyEntry, type LogFormat } from "./formats/entry.ts";
import { lineSource } from "./lines.ts";
import { LogError } from "./log-error.ts";

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
export function headOf(name: string, lines: readonly string[], client: string | undefined): LogHead {
  const first = lines.slice(0, FIRST_LINES).map(withoutReturn);
  const format = detectFormat(first, client);
  if (format === undefined) {
    const got = JSON.stringify((first.find((line) => line !== "") ?? "").slice(0, 120));
    throw new LogError(
      `${name}: expected lines of an access log (common, combined, JSON, ALB, CloudFront, Envoy), got ${got}`,
    );
  }
  const entries: Entry[] = [];
  for (const line of first) {
    const entry = emptyEntry(true);
    if (format.read(line, entry) === "request") entries.push(entry);
  }
  const firstUs = Math.min(...entries.map(({ timeUs }) => timeUs));
  return { format, firstUs, samples: entries.slice(0, 3) };
}

export function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

/** Reads the head of a file alone. `undefined` for an empty one. */
export async function readHead(file: string, client: string | undefined): Promise<LogHead | undefined> {
  const lines: string[] = [];
  for await (const batch of lineSource(file).batches()) {
    lines.push(...batch.filter((line) => line !== ""));
    if (lines.length >= FIRST_LINES) break;
  }
  return lines.length === 0 ? undefined : headOf(file, lines, client);
}

/** The latest moment in the last lines of a file. What is compressed has to be read to its end for that. */
export async function lastMoment(file: string, { format }: LogHead): Promise<number> {
  let lines = isCompressed(file) ? [] : tailOf(file);
  if (lines.length === 0) {
    for await (const batch of lineSource(file).batches())
      lines = [...lines.slice(-FIRST_LINES), ...batch].slice(-1_000);
  }
  const entry = emptyEntry(false);
  let lastUs = Number.NEGATIVE_INFINITY;
  for (const line of lines) {
    if (format.read(withoutReturn(line), entry) === "request") lastUs = Math.max(lastUs, entry.timeUs);
  }
  return lastUs;
}

function isCompressed(file: string): boolean {
  const magic = Buffer.alloc(2);
  const descriptor = openSync(file, "r");
  try {
    return readSync(descriptor, magic, 0, 2, 0) === 2 && magic[0] === 0x1f && magic[1] === 0x8b;
  } finally {
    closeSync(descriptor);
  }
}

function tailOf(file: string): string[] {
  const descriptor = openSync(file, "r");
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const count = readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
    return bytes
      .toString("latin1", 0, count)
      .split("\n")
      .slice(size > bytes.length ? 1 : 0);
  } finally {
    closeSync(descriptor);
  }
}
