import type { Log, LogEntry } from "./log.ts";

export interface SampleSettings {
  /** The most entries in an interval. 0 logs none, not even how many were left out. */
  readonly most: number;
  readonly intervalMs: number;
  /** The entry that says how many were left out. */
  readonly leftOut: (count: number) => LogEntry;
}

/**
 * Logs some of many entries: in an interval at most `most`, one of each source, then one that counts those left out.
 * An interval begins with its first entry. So one source cannot hide the others, and nothing is left out uncounted.
 */
export class SampledLog {
  readonly #log: Log;
  readonly #settings: SampleSettings;
  readonly #sources = new Set<string>();
  #logged = 0;
  #leftOut = 0;
  #interval: NodeJS.Timeout | undefined;

  constructor(log: Log, settings: SampleSettings) {
    this.#log = log;
    this.#settings = settings;
  }

  /** The source and the entry are made only if they are needed. */
  note(sourceOf: () => string, entryOf: () => LogEntry): void {
    const { most, intervalMs } = this.#settings;
    if (most === 0) return;
    this.#interval ??= setTimeout(() => this.flush(), intervalMs).unref();
    if (this.#logged < most && this.#isNew(sourceOf())) {
      this.#logged += 1;
      this.#log(entryOf());
    } else {
      this.#leftOut += 1;
    }
  }

  /** Ends the interval, and says how many entries it left out. */
  flush(): void {
    clearTimeout(this.#interval);
    this.#interval = undefined;
    const count = this.#leftOut;
    this.#leftOut = 0;
    this.#logged = 0;
    this.#sources.clear();
    if (count > 0) this.#log(this.#settings.leftOut(count));
  }

  #isNew(source: string): boolean {
    if (this.#sources.has(source)) return false;
    this.#sources.add(source);
    return true;
  }
}
