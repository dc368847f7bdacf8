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
  "sweep",
  "denied",
  "denials-left-out",
  "limits-loaded",
  "limits-refused",
  "limits-mistake",
  "audit",
  "unauthorized",
  "unauthorized-left-out",
]);

/** Reads the lines of a log in JSON. A line that is not one comes from Node: a warning, or an error that ends it. */
export class JsonLog implements LogLines {
  readonly #onFault: (fault: string) => void;
  readonly #waiting = new Set<{ readonly events: readonly string[]; readonly resolve: (entry: LogEntry) => void }>();

  constructor(onFault: (fault: string) => void) {
    this.#onFault = onFault;
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
      this.#onFault(`a line that is no log entry: ${line}`);
      return;
    }
    if (!EXPECTED.has(entry.event)) this.#onFault(`a log entry of a fault: ${line}`);
    for (const waiting of this.#waiting) {
      if (!waiting.events.includes(entry.event)) continue;
      this.#waiting.delete(waiting);
      waiting.resolve(entry);
    }
  }
}

function parse(line: string): LogEntry | undefined {
  try {
    return JSON.parse(line) as LogEntry;
  } catch {
    return undefined;
  }
}
