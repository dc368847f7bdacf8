import { type FileText, readTexts } from "../files/read-texts.ts";
import { type WatchedTexts, watchTexts } from "../files/watch-texts.ts";
import type { Log } from "../log/log.ts";
import { loggedMistakeLine, type Mistake } from "./mistake.ts";

/** What files mean, or all that is wrong with them. */
export type Compiled<Value> =
  | { readonly value: Value; readonly mistakes?: never }
  | { readonly value?: never; readonly mistakes: readonly Mistake[] };

/** The limits have mistakes. The message has a line for each. */
export class LimitsError extends Error {
  override readonly name = "LimitsError";

  constructor(mistakes: readonly Mistake[]) {
    super(mistakes.map(loggedMistakeLine).join("\n"));
  }
}

export interface LimitsFilesOptions<Value> {
  /** A file or a directory. */
  readonly path: string;
  readonly compile: (texts: readonly FileText[]) => Compiled<Value>;
  /** Works like `compile` while requests are served: it must not block the thread for long. By default `compile`. */
  readonly recompile?: (texts: readonly FileText[]) => Compiled<Value> | Promise<Compiled<Value>>;
  /** Puts limits in force that were read again. */
  readonly replace: (value: Value) => unknown;
  readonly log: Log;
  /** Is notified when files have been taken or refused. */
  readonly onStatus?: () => void;
  /** How often the files are read without a sign of a change. */
  readonly intervalMs?: number;
}

export interface LimitsStatus {
  /** `"kept"`: the files have mistakes, or cannot be read, and the limits before them are in force. */
  readonly state: "loaded" | "kept";
  /** When the limits in force were loaded. */
  readonly loadedAt: Date;
  /** How often files were taken, the first time included, and how often they were refused. */
  readonly loads: number;
  readonly refusals: number;
}

/** A log of one refusal has at most so many mistakes. */
const MOST_LOGGED = 20;

/** Limits in files that may change while the service runs. A bad file changes nothing. */
export class LimitsFiles<Value> {
  readonly #options: LimitsFilesOptions<Value>;
  readonly #watched: WatchedTexts;
  /** The limits with which the service begins. */
  readonly first: Value;
  #loadedAt = new Date();
  #loads = 1;
  #refusals = 0;
  #state: LimitsStatus["state"] = "loaded";
  #isClosed = false;

  private constructor(options: LimitsFilesOptions<Value>, texts: readonly FileText[], first: Value) {
    this.#options = options;
    this.first = first;
    this.#watched = watchTexts({
      path: options.path,
      known: texts,
      onChange: (changed) => this.#load(changed).catch((error: unknown) => this.#refuse([String(error)])),
      onError: (error) => this.#refuse([String(error)]),
      ...(options.intervalMs !== undefined && { intervalMs: options.intervalMs }),
    });
  }

  /** @throws FilesError if the files cannot be read; LimitsError if they have mistakes. */
  static async open<Value>(options: LimitsFilesOptions<Value>): Promise<LimitsFiles<Value>> {
    const texts = await readTexts(options.path);
    const { value, mistakes } = options.compile(texts);
    if (mistakes !== undefined) throw new LimitsError(mistakes);
    return new LimitsFiles(options, texts, value);
  }

  get status(): LimitsStatus {
    return { state: this.#state, loadedAt: this.#loadedAt, loads: this.#loads, refusals: this.#refusals };
  }

  /** Reads the files now, also if nothing says that they have changed. */
  reload(): void {
    this.#watched.check();
  }

  close(): void {
    this.#isClosed = true;
    this.#watched.close();
  }

  async #load(texts: readonly FileText[]): Promise<void> {
    const { compile, recompile = compile, replace } = this.#options;
    const { value, mistakes } = await recompile(texts);
    if (this.#isClosed) return;
    if (mistakes !== undefined) {
      this.#refuse(mistakes.map(loggedMistakeLine));
      return;
    }
    await replace(value);
    this.#state = "loaded";
    this.#loadedAt = new Date();
    this.#loads += 1;
    const text = `limits loaded from ${this.#options.path}`;
    this.#options.log({ level: "info", event: "limits-loaded", text, fields: { path: this.#options.path } });
    this.#options.onStatus?.();
  }

  #refuse(lines: readonly string[]): void {
    this.#state = "kept";
    this.#refusals += 1;
    const { log, path } = this.#options;
    const text = `limits of ${path} refused, those before stay in force: ${lines.length} mistakes`;
    log({ level: "error", event: "limits-refused", text, fields: { path, mistakes: lines.length } });
    for (const line of lines.slice(0, MOST_LOGGED)) {
      log({ level: "error", event: "limits-mistake", text: line, fields: { path } });
    }
    this.#options.onStatus?.();
  }
}
