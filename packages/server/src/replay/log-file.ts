import { statSync } from "node:fs";
import { type Bytes, textOf } from "./bytes.ts";
import { ALB } from "./formats/alb.ts";
import { CloudFrontFormat } from "./formats/cloudfront.ts";
import { CommonFormat } from "./formats/common.ts";
import type { Details, LogFormat } from "./formats/entry.ts";
import { ENVOY } from "./formats/envoy.ts";
import { JsonFormat } from "./formats/json-lines.ts";
import { type Chunks, chunksOf, linesIn, linesOf } from "./lines.ts";
import { LogError } from "./log-error.ts";
import { printable } from "./printable.ts";

/** How many lines tell the format. */
const FIRST_LINES = 50;
const TAIL_BYTES = 65_536;

type Sample = Details & { readonly timeUs: number; readonly address: string };

/** The beginning of a log, which tells its format and its first moment. */
export interface LogHead {
  readonly format: LogFormat;
  readonly firstUs: number;
  /** Up to three of its requests. */
  readonly samples: readonly Sample[];
}

/**
 * Finds the format that reads most of the first lines.
 *
 * @param client The field of JSON lines that tells clients apart, instead of the address.
 * @throws LogError if no format reads any of them.
 */
export function headOf(name: string, buffer: Buffer, client?: string): LogHead {
  const lines = linesIn(buffer).slice(0, FIRST_LINES);
  // The strictest first.
  const formats = [new CloudFrontFormat(), new JsonFormat(client), ALB, ENVOY, new CommonFormat()];
  let best: LogFormat | undefined;
  let requests: readonly Sample[] = [];
  for (const format of formats) {
    const found = requestsOf(format, lines);
    if (found.length > requests.length) [best, requests] = [format, found];
  }
  if (best === undefined) {
    const formatNames = "(common, combined, JSON, ALB, CloudFront, Envoy)";
    const got = JSON.stringify(printable(lines[0] === undefined ? "" : textOf(lines[0])));
    throw new LogError(`${name}: expected lines of an access log ${formatNames}, got ${got}`);
  }
  const samples = requests.slice(0, 3);
  return { format: best, firstUs: middleOf(samples), samples };
}

function requestsOf(format: LogFormat, lines: readonly Bytes[]): Sample[] {
  return lines.flatMap((line) => {
    const entry = format.read(line);
    if (typeof entry !== "object") return [];
    return { timeUs: entry.timeUs, address: textOf(entry.address), ...entry.details() };
  });
}

/** The middle moment, so that a single wrong clock does not count. NaN without a request. */
function middleOf(requests: readonly Sample[]): number {
  const timesUs = requests.map(({ timeUs }) => timeUs).sort((one, other) => one - other);
  return timesUs[timesUs.length >> 1] ?? Number.NaN;
}

/** Reads the head of a file alone. `undefined` for an empty one. */
export async function readHead(file: string, client: string | undefined): Promise<LogHead | undefined> {
  for await (const part of linesOf(chunksOf(file))) if (linesIn(part).length > 0) return headOf(file, part, client);
  return undefined;
}

/** The moment of the last lines of a file. */
export async function lastMoment(file: string, { format }: LogHead): Promise<number> {
  const lastOf = (tail: Buffer) => middleOf(requestsOf(format, linesIn(tail)).slice(-3));
  const lastUs = lastOf(await tailOf(chunksOf(file, Math.max(0, statSync(file).size - TAIL_BYTES))));
  // What is compressed has to be read to its end.
  return Number.isNaN(lastUs) ? lastOf(await tailOf(linesOf(chunksOf(file)))) : lastUs;
}

async function tailOf(chunks: Chunks): Promise<Buffer> {
  let tail = Buffer.alloc(0);
  for await (const chunk of chunks) tail = Buffer.concat([tail, chunk]).subarray(-TAIL_BYTES);
  return tail;
}
