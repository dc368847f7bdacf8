import { statSync } from "node:fs";
import type { LimitsFile } from "tollgate/config";
import { Clients } from "./clients.ts";
import { type Fit, Fitting } from "./fitting.ts";
import { AddressClients } from "./formats/address.ts";
import { type Entry, emptyEntry, type LogFormat } from "./formats/entry.ts";
import { InOrder } from "./in-order.ts";
import { type Judgement, Judging } from "./judging.ts";
import { LoggedRequest } from "./limits-run.ts";
import { forEachLine, isBlank, isPipe, lineSource } from "./lines.ts";
import { LogError } from "./log-error.ts";
import { headOf, type LogHead, lastMoment, readHead } from "./log-file.ts";
import type { Share } from "./suggest.ts";
import { Timeline, type TimelineCounts } from "./timeline.ts";

/** What tells clients apart: a fact of the line, or a field of JSON lines. */
export type ClientKey = "address" | "user" | "user-agent" | "path" | { readonly field: string };

export interface ReplayOptions {
  /** Paths; `-` is standard input. Files are read in the order of their first moments. */
  readonly files: readonly string[];
  readonly key: ClientKey;
  /** How many clients are told apart. */
  readonly maxClients: number;
  readonly limits: { readonly file: LimitsFile; readonly domain: string } | undefined;
  readonly share: Share | undefined;
  /** Whether to work out what each bucket would have denied, also without a share. */
  readonly isFitted: boolean;
  /** Called about ten times a second. */
  readonly onProgress: (progress: Progress) => void;
  /** Called once for each file, before it is read. */
  readonly onHead: (file: string, head: LogHead) => void;
}

export interface Progress {
  readonly bytesRead: number;
  /** 0 if it is not known. */
  readonly bytes: number;
  readonly requests: number;
}

export interface ReplayResult {
  readonly requests: number;
  readonly clients: number;
  /** About how many clients there were beyond the bound. They share rows, and are in no suggestion. */
  readonly furtherClients: number;
  readonly unreadable: number;
  /** Lines that were more than five seconds late. */
  readonly late: number;
  readonly firstUs: number;
  readonly lastUs: number;
  /** The client's name, by the numbers of the judgement. */
  readonly nameOf: (client: number) => string;
  readonly judgement: Judgement | undefined;
  readonly timeline: TimelineCounts;
  readonly fit: Fit | undefined;
}

/**
 * Reads access logs once, and decides each of their requests again.
 *
 * @throws LogError for logs without a request, and for a share that is finer than the clients of the log allow.
 */
export async function replay(options: ReplayOptions): Promise<ReplayResult> {
  const { files, boundaryUs } = await plan(options);
  const bytes = files.some(isPipe) ? 0 : files.reduce((sum: number, file) => sum + statSync(file).size, 0);
  const run = new ReplayRun(options, boundaryUs);
  try {
    let bytesBefore = 0;
    for (const file of files) {
      bytesBefore += await run.read(file, (bytesRead) => {
        options.onProgress({ bytesRead: bytesBefore + bytesRead, bytes, requests: run.requests });
      });
    }
    return run.end();
  } finally {
    run.close();
  }
}

/** The part of the time to which suggestions are fitted. */
const FITTED = 0.8;

interface Plan {
  /** In the order of time. */
  readonly files: readonly string[];
  /** The moment until which suggestions are fitted: Infinity if the end of the log is not known. */
  readonly boundaryUs: number;
}

async function plan({ files, key, share }: ReplayOptions): Promise<Plan> {
  if (files.some(isPipe)) return { files, boundaryUs: Number.POSITIVE_INFINITY };
  const heads: { file: string; head: LogHead }[] = [];
  for (const file of files) {
    const head = await readHead(file, fieldOf(key));
    if (head !== undefined) heads.push({ file, head });
  }
  heads.sort((one, other) => one.head.firstUs - other.head.firstUs);
  const [first] = heads;
  if (first === undefined) throw new LogError(`${files.join(", ")}: expected an access log, got an empty file`);
  const inOrder = heads.map(({ file }) => file);
  if (share === undefined) return { files: inOrder, boundaryUs: Number.POSITIVE_INFINITY };
  let lastUs = Number.NEGATIVE_INFINITY;
  // The file that begins before the last one may end after it.
  for (const { file, head } of heads.slice(-2)) lastUs = Math.max(lastUs, await lastMoment(file, head));
  return { files: inOrder, boundaryUs: first.head.firstUs + FITTED * (lastUs - first.head.firstUs) };
}

function fieldOf(key: ClientKey): string | undefined {
  return typeof key === "object" ? key.field : undefined;
}

const PROGRESS_MS = 100;

/** One pass over the requests, in the order of time. */
class ReplayRun {
  requests = 0;
  readonly #options: ReplayOptions;
  readonly #clients: Clients;
  readonly #fitting: Fitting | undefined;
  readonly #judging: Judging | undefined;
  readonly #isWhole: boolean;
  /** Without limits a request is its client. */
  readonly #plain = new InOrder<number>((timeUs, client) => this.#count(timeUs, client, false));
  readonly #whole = new InOrder<LoggedRequest>((timeUs, request) => {
    this.#count(timeUs, request.client, this.#judging?.add(timeUs, request) === true);
  });
  readonly #addresses = new AddressClients();
  readonly #timeline = new Timeline();
  #unreadable = 0;
  #firstUs = Number.NaN;
  #lastUs = Number.NaN;

  constructor(options: ReplayOptions, boundaryUs: number) {
    const { limits, maxClients, share, isFitted } = options;
    this.#options = options;
    this.#clients = new Clients(maxClients);
    if (isFitted) this.#fitting = new Fitting(this.#clients, share, boundaryUs);
    this.#isWhole = limits !== undefined || options.key !== "address";
    // A client can have a key in several rules.
    this.#judging = limits && new Judging(limits.file, limits.domain, Math.max(1_000, 4 * maxClients));
  }

  /** @returns the bytes of the file. */
  async read(name: string, onBytes: (bytesRead: number) => void): Promise<number> {
    const source = lineSource(name);
    const entry = emptyEntry(this.#isWhole);
    let head: LogHead | undefined;
    let dueMs = 0;
    for await (const bytes of source.batches()) {
      head ??= this.#open(source.name, bytes);
      const format = head?.format;
      if (format !== undefined) forEachLine(bytes, (start, end) => this.#add(format, bytes, start, end, entry));
      if (performance.now() < dueMs) continue;
      dueMs = performance.now() + PROGRESS_MS;
      onBytes(source.bytesRead);
    }
    return source.bytesRead;
  }

  #open(name: string, bytes: Buffer): LogHead | undefined {
    if (isBlank(bytes)) return undefined;
    const head = headOf(name, bytes, fieldOf(this.#options.key));
    this.#options.onHead(name, head);
    return head;
  }

  #add(format: LogFormat, bytes: Buffer, start: number, end: number, entry: Entry): void {
    const outcome = format.read(bytes, start, end, entry);
    if (outcome === "skip") return;
    if (outcome === "unreadable") {
      this.#unreadable += 1;
      return;
    }
    this.requests += 1;
    const { key } = this.#options;
    const hasBytes = entry.addressEnd > 0 && key === "address";
    const client = hasBytes
      ? this.#clients.numberOf(bytes, start, entry.addressEnd)
      : this.#clients.numberOfText(key === "address" ? this.#addresses.of(entry.address) : keyOf(entry, key));
    if (this.#judging === undefined) this.#plain.add(entry.timeUs, client);
    else this.#whole.add(entry.timeUs, new LoggedRequest(entry, client));
  }

  #count(timeUs: number, client: number, isDenied: boolean): void {
    if (Number.isNaN(this.#firstUs)) this.#firstUs = timeUs;
    this.#lastUs = timeUs;
    this.#timeline.add(timeUs, isDenied);
    this.#fitting?.add(client, timeUs);
  }

  end(): ReplayResult {
    this.#plain.end();
    this.#whole.end();
    if (this.requests === 0) throw new LogError("expected an access log, got no request");
    const clients = this.#clients;
    return {
      requests: this.requests,
      clients: clients.count,
      furtherClients: clients.further,
      unreadable: this.#unreadable,
      late: this.#plain.late + this.#whole.late,
      firstUs: this.#firstUs,
      lastUs: this.#lastUs,
      nameOf: (client) => clients.nameOf(client),
      judgement: this.#judging?.judge(),
      timeline: this.#timeline.counts(),
      fit: this.#fitting?.judge(),
    };
  }

  close(): void {
    this.#judging?.close();
  }
}

function keyOf(entry: Entry, key: ClientKey): string {
  switch (key) {
    case "user":
      return entry.user;
    case "user-agent":
      return entry.userAgent;
    case "path":
      return entry.path;
    default:
      return entry.address;
  }
}
