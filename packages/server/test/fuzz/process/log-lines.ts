import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** What a service of the fuzzer has written, line by line. */
export interface LogLines {
  /** Resolves with the first entry of one of these events from now on. */
  next(...events: string[]): Promise<LogEntry>;
}

export interface LogEntry {
  readonly event: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** Events of a service that works. All others are faults of the service. */
const EXPECTED: ReadonlySet<string> = new Set([
  "listening",
  "admin-listening",
  "grpc-listening",
  "stopping",
  "cut-off",
  "denied",
  "denials-left-out",
  "limits-loaded",
  "limits-refused",
  "limits-mistake",
  "audit",
  "unauthorized",
  "unauthorized-left-out",
]);

/** Events of a service whose Redis is another process, which a busy machine may keep from answering in time. */
const EXPECTED_WITH_REDIS: ReadonlySet<string> = new Set([
  "redis-down",
  "redis-up",
  "degraded",
  "degraded-left-out",
  // A busy machine may keep workers from answering as well.
  "workers-silent",
]);
/** Errors of Redis have other causes. They are faults of the service. */
const EXPECTED_CAUSES: ReadonlySet<unknown> = new Set([undefined, "timed out", "circuit open", "overloaded"]);

/** For the lines that follow one that is no log entry. */
const LAST_WORDS_MS = 200;

interface Waiting {
  readonly events: readonly string[];
  readonly resolve: (entry: LogEntry) => void;
}

/** Reads the lines of a log in JSON. A line that is not one comes from Node: a warning, or an error that ends it. */
export class JsonLog implements LogLines {
  readonly #onFault: (fault: string) => void;
  readonly #hasRedis: boolean;
  readonly #waiting = new Set<Waiting>();
  readonly #foreign: string[] = [];
  #outages = 0;

  constructor(onFault: (fault: string) => void, hasRedis: boolean) {
    this.#onFault = onFault;
    this.#hasRedis = hasRedis;
  }

  /** How often Redis did not answer in time. */
  get outages(): number {
    return this.#outages;
  }

  /** The lines that are no entries. */
  get foreign(): string {
    return this.#foreign.join("\n").trim();
  }

  next(...events: string[]): Promise<LogEntry> {
    return new Promise((resolve) => this.#waiting.add({ events, resolve }));
  }

  /** Reads a stream of the process. */
  read(stream: Readable): void {
    createInterface({ input: stream }).on("line", (line) => this.#take(line));
  }

  #take(line: string): void {
    const entry = parse(line);
    if (entry === undefined) {
      this.#takeForeign(line);
      return;
    }
    if (!this.#isExpected(entry)) this.#onFault(`a log entry of a fault: ${line}`);
    if (entry.event === "redis-down") this.#outages += 1;
    for (const waiting of this.#waiting) {
      if (!waiting.events.includes(entry.event)) continue;
      this.#waiting.delete(waiting);
      waiting.resolve(entry);
    }
  }

  /** The last words of Node have many lines, and the first one may be empty. */
  #takeForeign(line: string): void {
    this.#foreign.push(line);
    if (this.#foreign.length > 1) return;
    setTimeout(() => this.#onFault(`a line that is no log entry: ${this.foreign}`), LAST_WORDS_MS);
  }

  #isExpected(entry: LogEntry): boolean {
    if (EXPECTED.has(entry.event)) return true;
    return this.#hasRedis && EXPECTED_WITH_REDIS.has(entry.event) && EXPECTED_CAUSES.has(entry["cause"]);
  }
}

function parse(line: string): LogEntry | undefined {
  try {
    return JSON.parse(line) as LogEntry;
  } catch {
    return undefined;
  }
}
