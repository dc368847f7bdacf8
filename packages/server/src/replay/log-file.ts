import { statSync } from "node:fs";
import { ALB } from "./formats/alb.ts";
import { CloudFrontFormat } from "./formats/cloudfront.ts";
import { CommonFormat } from "./formats/common.ts";
import type { Entry, LogFormat } from "./formats/entry.ts";
import { ENVOY } from "./formats/envoy.ts";
import { JsonFormat } from "./formats/json-lines.ts";
import { copyOf } from "./latin1.ts";
import { chunksOf, linesIn, textsOf } from "./lines.ts";
import { LogError } from "./log-error.ts";
import { printable } from "./printable.ts";

/** How many lines tell the format. */
const FIRST_LINES = 50;
const TAIL_BYTES = 65_536;

/** The beginning of a log, which tells its format and its first moment. */
export interface LogHead {
  readonly format: LogFormat;
  readonly firstUs: number;
  /** Up to three of its requests. */
  readonly samples: readonly Entry[];
}

/**
 * Finds the format that reads most of the first lines.
 *
 * @param client The field of JSON lines that tells clients apart, instead of the address.
 * @throws LogError if no format reads any of them.
 */
export function headOf(name: string, text: string, client?: string): LogHead {
  const lines = linesIn(text).slice(0, FIRST_LINES).map(copyOf);
  // The strictest first.
  const formats = [new CloudFrontFormat(), new JsonFormat(client), ALB, ENVOY, new CommonFormat()];
  let best: LogFormat | undefined;
  let requests: readonly Entry[] = [];
  for (const format of formats) {
    const found = requestsOf(format, lines);
    if (found.length > requests.length) [best, requests] = [format, found];
  }
  if (best === undefined) {
    const formatNames = "(common, combined, JSON, ALB, CloudFront, Envoy)";
    const got = JSON.stringify(printable(lines[0] ?? ""));
    throw new LogError(`${name}: expected lines of an access log ${formatNames}, got ${got}`);
  }
  const samples = requests.slice(0, 3);
  return { format: best, firstUs: middleOf(samples), samples };
}

function requestsOf(format: LogFormat, lines: readonly string[]): Entry[] {
  return lines.map((line) => format.read(line)).filter((entry) => typeof entry === "object");
}

/** The middle moment, so that a single wrong clock does not count. NaN without a request. */
function middleOf(requests: readonly Entry[]): number {
  const timesUs = requests.map(({ timeUs }) => timeUs).sort((one, other) => one - other);
  return timesUs[timesUs.length >> 1] ?? Number.NaN;
}

/** Reads the head of a file alone. `undefined` for an empty one. */
export async function readHead(file: string, client: string | undefined): Promise<LogHead | undefined> {
  for await (const text of textsOf(chunksOf(file))) if (linesIn(text).length > 0) return headOf(file, text, client);
  return undefined;
}

/** The moment of the last lines of a file. */
export async function lastMoment(file: string, { format }: LogHead): Promise<number> {
  const lastOf = (text: string) => middleOf(requestsOf(format, linesIn(text)).slice(-3));
  let tail = "";
  for await (const bytes of chunksOf(file, Math.max(0, statSync(file).size - TAIL_BYTES)))
    tail += bytes.toString("latin1");
  const lastUs = lastOf(tail);
  if (!Number.isNaN(lastUs)) return lastUs;
  // What is compressed has to be read to its end.
  for await (const text of textsOf(chunksOf(file))) tail = (tail + text).slice(-TAIL_BYTES);
  return lastOf(tail);
}
