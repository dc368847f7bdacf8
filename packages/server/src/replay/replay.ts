import { statSync } from "node:fs";
import type { Facts, LimitsFile } from "tollgate/config";
import { type Bytes, bytesOf } from "./bytes.ts";
import { Clients } from "./clients.ts";
import { type Fit, Fitting } from "./fitting.ts";
import { AddressClients } from "./formats/address.ts";
import type { Entry, LogFormat } from "./formats/entry.ts";
import { InOrder } from "./in-order.ts";
import { factsOf, type Judgement, Judging } from "./judging.ts";
import { type Chunks, chunksOf, forEachLine, isPipe, linesOf } from "./lines.ts";
import { LogError } from "./log-error.ts";
import { headOf, type LogHead, lastMoment, readHead } from "./log-file.ts";
import type { Share } from "./suggest.ts";
import { Timeline, type TimelineCounts } from "./timeline.ts";

/** What tells clients apart beside the address, by its name in flags. */
export const DETAIL_KEYS = { user: "user", "user-agent": "userAgent", path: "path" } as const;

/** What tells clients apart: a fact of the line, or a field of JSON lines. */
export type ClientKey = "address" | keyof typeof DETAIL_KEYS | { readonly field: string };

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
  /** Called for each piece of a file that has been read. */
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
  const plan = await planOf(options);
  const run = new ReplayRun(options, plan);
  try {
    for (const file of plan.files) await run.read(file);
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
  /** The size of all files; 0 if it is not known. */
  readonly bytes: number;
  /** The moment until which suggestions are fitted: Infinity if the end of the log is not known. */
  readonly boundaryUs: number;
}

async function planOf({ files, key, share }: ReplayOptions): Promise<Plan> {
  if (files.some(isPipe)) return { files, bytes: 0, boundaryUs: Number.POSITIVE_INFINITY };
  const heads: { file: string; head: LogHead }[] = [];
  for (const file of files) {
    const head = await readHead(file, fieldOf(key));
    if (head !== undefined) heads.push({ file, head });
  }
  heads.sort((one, other) => one.head.firstUs - other.head.firstUs);
  const [first] = heads;
  if (first === undefined) throw new LogError(`${files.join(", ")}: expected an access log, got an empty file`);
  const inOrder = heads.map(({ file }) => file);
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  if (share === undefined) return { files: inOrder, bytes, boundaryUs: Number.POSITIVE_INFINITY };
  let lastUs = Number.NEGATIVE_INFINITY;
  // The file that begins before the last one may end after it.
  for (const { file, head } of heads.slice(-2)) lastUs = Math.max(lastUs, await lastMoment(file, head));
  const { firstUs } = first.head;
  return { files: inOrder, bytes, boundaryUs: firstUs + FITTED * (lastUs - firstUs) };
}

function fieldOf(key: ClientKey): string | undefined {
  return typeof key === "object" ? key.field : undefined;
}

/** What waits for its turn in the order of time. */
interface LoggedRequest {
  timeUs: number;
  readonly client: number;
  /** `undefined` without limits. */
  readonly facts: Facts | undefined;
}

/** One pass over the requests, in the order of time. */
class ReplayRun {
  #requests = 0;
  #unreadable = 0;
  #bytesRead = 0;
  readonly #options: ReplayOptions;
  readonly #plan: Plan;
  readonly #clients: Clients;
  readonly #fitting: Fitting | undefined;
  readonly #judging: Judging | undefined;
  readonly #inOrder = new InOrder<LoggedRequest>((request) => this.#count(request));
  readonly #addresses = new AddressClients();
  readonly #timeline = new Timeline();

  constructor(options: ReplayOptions, plan: Plan) {
    const { limits, maxClients, share, isFitted } = options;
    this.#options = options;
    this.#plan = plan;
    this.#clients = new Clients(maxClients);
    if (isFitted) this.#fitting = new Fitting(this.#clients, share, plan.boundaryUs);
    this.#judging = limits && new Judging(limits.file, limits.domain, maxClients + 1);
  }

  async read(name: string): Promise<void> {
    let format: LogFormat | undefined;
    for await (const lines of linesOf(this.#counted(name))) {
      forEachLine(lines, (line) => {
        format ??= this.#open(name, lines);
        this.#add(format, line);
      });
    }
  }

  async *#counted(name: string): Chunks {
    for await (const chunk of chunksOf(name)) {
      this.#bytesRead += chunk.length;
      yield chunk;
      this.#options.onProgress({ bytesRead: this.#bytesRead, bytes: this.#plan.bytes, requests: this.#requests });
    }
  }

  #open(file: string, lines: Buffer): LogFormat {
    const { key, onHead } = this.#options;
    const name = file === "-" ? "standard input" : file;
    const head = headOf(name, lines, fieldOf(key));
    onHead(name, head);
    return head.format;
  }

  #add(format: LogFormat, line: Bytes): void {
    const entry = format.read(line);
    if (entry === undefined) this.#unreadable += 1;
    if (typeof entry !== "object") return;
    this.#requests += 1;
    const client = this.#clients.numberOf(this.#nameOf(entry));
    this.#inOrder.add({ timeUs: entry.timeUs, client, facts: this.#judging && factsOf(entry) });
  }

  #nameOf({ address, details }: Entry): Bytes {
    const { key } = this.#options;
    if (key === "address") return this.#addresses.of(address);
    return typeof key === "object" ? address : bytesOf(details()[DETAIL_KEYS[key]]);
  }

  #count({ timeUs, client, facts }: LoggedRequest): void {
    const isDenied = facts !== undefined && this.#judging?.add(timeUs, client, facts) === true;
    this.#timeline.add(timeUs, isDenied);
    this.#fitting?.add(client, timeUs);
  }

  end(): ReplayResult {
    this.#inOrder.end();
    if (this.#requests === 0) throw new LogError("expected an access log, got no request");
    return {
      requests: this.#requests,
      clients: this.#clients.count,
      furtherClients: this.#clients.further,
      unreadable: this.#unreadable,
      late: this.#inOrder.late,
      firstUs: this.#timeline.firstUs,
      lastUs: this.#timeline.lastUs,
      nameOf: (client) => this.#clients.nameOf(client),
      judgement: this.#judging?.judge(),
      timeline: this.#timeline.counts(),
      fit: this.#fitting?.judge(),
    };
  }

  close(): void {
    this.#judging?.close();
  }
}
