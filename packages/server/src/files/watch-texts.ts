import { createHash } from "node:crypto";
import { type FSWatcher, statSync, watch } from "node:fs";
import { dirname } from "node:path";
import { type FileText, readTexts } from "./read-texts.ts";

export interface WatchOptions {
  readonly path: string;
  /** What was read before, so that it is no change. */
  readonly known: readonly FileText[];
  /** What changes until its promise is settled is read afterwards. */
  readonly onChange: (texts: readonly FileText[]) => unknown;
  /** The files could not be read: what was read before stays in force. */
  readonly onError: (error: unknown) => void;
  /** How long changes may go on before they are read: editors and volumes write in several steps. */
  readonly quietMs?: number;
  /** How often the files are read without a sign of a change, for file systems that give none. */
  readonly intervalMs?: number;
}

const QUIET_MS = 50;
/** A text is taken when it has not changed for so many quiet times: a slow writer leaves the beginning of a file. */
const SETTLED = 5;
const INTERVAL_MS = 5_000;

/**
 * Watches a file or a directory, and reads it again when its text has changed. It watches the directory: a file that
 * another replaces, by a rename or by a symbolic link as Kubernetes does, would be watched once and never again.
 */
export class TextWatcher {
  readonly #options: WatchOptions;
  readonly #interval: NodeJS.Timeout;
  #watcher: FSWatcher | undefined;
  #quiet: NodeJS.Timeout | undefined;
  #known: string;
  /** What has been read, but may still be changing. */
  #settling: { readonly digest: string; readonly sinceMs: number } | undefined;
  #failure = "";
  #reading = false;
  #again = false;
  #closed = false;
  /** What is read on demand is taken as it is. */
  #isForced = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#known = digest(options.known);
    this.#watch();
    this.#interval = setInterval(() => this.#begin(false), options.intervalMs ?? INTERVAL_MS).unref();
  }

  /** Reads the files now, whether or not they have changed. */
  check(): void {
    this.#begin(true);
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#interval);
    clearTimeout(this.#quiet);
    this.#watcher?.close();
  }

  /** Without a directory to watch the interval does its work, and tries again. */
  #watch(): void {
    const { path, quietMs = QUIET_MS } = this.#options;
    try {
      const directory = statSync(path).isDirectory() ? path : dirname(path);
      this.#watcher = watch(directory, { persistent: false }, () => {
        clearTimeout(this.#quiet);
        this.#quiet = setTimeout(() => this.#begin(false), quietMs).unref();
      });
      this.#watcher.on("error", () => this.#unwatch());
    } catch {
      this.#unwatch();
    }
  }

  #unwatch(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  #begin(force: boolean): void {
    if (this.#closed) return;
    if (force) {
      this.#known = "";
      this.#isForced = true;
    }
    this.#again = true;
    if (!this.#reading) void this.#read();
  }

  /** A change during a reading is read afterwards. */
  async #read(): Promise<void> {
    this.#reading = true;
    while (this.#again && !this.#closed) {
      this.#again = false;
      if (this.#watcher === undefined) this.#watch();
      try {
        const texts = await readTexts(this.#options.path);
        this.#failure = "";
        await this.#pass(texts);
      } catch (error) {
        this.#fail(error);
      }
    }
    this.#reading = false;
  }

  async #pass(texts: readonly FileText[]): Promise<void> {
    const known = digest(texts);
    if (this.#closed || known === this.#known) return;
    if (!(this.#isForced || this.#isSettled(known))) return;
    this.#isForced = false;
    this.#known = known;
    await this.#options.onChange(texts);
  }

  /** Otherwise it is read again later. */
  #isSettled(known: string): boolean {
    const settledMs = SETTLED * (this.#options.quietMs ?? QUIET_MS);
    if (this.#settling?.digest !== known) this.#settling = { digest: known, sinceMs: performance.now() };
    else if (performance.now() - this.#settling.sinceMs >= settledMs) return true;
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.#begin(false), settledMs).unref();
    return false;
  }

  /** The same failure is told once. Files that can be read again are a change, also with the same text. */
  #fail(error: unknown): void {
    this.#known = "";
    this.#settling = undefined;
    this.#isForced = false;
    if (this.#closed || String(error) === this.#failure) return;
    this.#failure = String(error);
    this.#options.onError(error);
  }
}

function digest(texts: readonly FileText[]): string {
  const hash = createHash("sha256");
  for (const { file, text } of texts) hash.update(`${file.length}:${file}${text.length}:`).update(text);
  return hash.digest("base64");
}
