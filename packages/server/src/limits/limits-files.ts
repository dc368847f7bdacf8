import { type FileText, readTexts } from "../files/read-texts.ts";
import { TextWatcher } from "../files/watch-texts.ts";
import type { Log } from "../log/log.ts";
import { loggedMistakeLine, type Mistake } from "./mistake.ts";

/** What files mean, or all that is wrong with them. */
export type Compiled<Value> =
  | { readonly value: Value; readonly mistakes?: never }
  | { readonly value?: never; readonly mistakes: readonly Mistake[] };

/** The limits have mistakes. The message has a line for each. */
class LimitsError extends Error {
  override readonly name = "LimitsError";

  constructor(mistakes: readonly Mistake[]) {
    super(mistakes.map(loggedMistakeLine).join("\n"));
  }
}

/** What happens to files that change while the service runs. */
export interface LimitsFilesWatch<Value> {
  /** Reads files while requests are served: it must not block the thread for long. */
  readonly recompile: (texts: readonly FileText[]) => Compiled<Value> | Promise<Compiled<Value>>;
  /** Puts limits in force that were read again. */
  readonly replace: (value: Value) => unknown;
  /** Is notified when files have been taken or refused. */
  readonly onStatus?: () => void;
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
  /** A file or a directory. */
  readonly path: string;
  /** The limits with which the service begins. */
  readonly first: Value;
  readonly #log: Log;
  readonly #texts: readonly FileText[];
  #watched: TextWatcher | undefined;
  #onStatus: () => void = () => {};
  #loadedAt = new Date();
  #loads = 1;
  #refusals = 0;
  #state: LimitsStatus["state"] = "loaded";
  #isClosed = false;

  private constructor(path: string, log: Log, texts: readonly FileText[], first: Value) {
    this.path = path;
    this.first = first;
    this.#log = log;
    this.#texts = texts;
  }

  /** @throws FilesError if the files cannot be read; LimitsError if they have mistakes. */
  static async open<Value>(
    path: string,
    log: Log,
    compile: (texts: readonly FileText[]) => Compiled<Value>,
  ): Promise<LimitsFiles<Value>> {
    const texts = await readTexts(path);
    const { value, mistakes } = compile(texts);
    if (mistakes !== undefined) throw new LimitsError(mistakes);
    return new LimitsFiles(path, log, texts, value);
  }

  /** Follows changes since `open`. */
  watch({ onStatus = () => {}, ...watch }: LimitsFilesWatch<Value>): void {
    this.#onStatus = onStatus;
    this.#watched = new TextWatcher({
      path: this.path,
      known: this.#texts,
      onChange: (texts) => this.#load(texts, watch).catch((error: unknown) => this.#refuse([String(error)])),
      onError: (error) => this.#refuse([String(error)]),
    });
  }

  get status(): LimitsStatus {
    return { state: this.#state, loadedAt: this.#loadedAt, loads: this.#loads, refusals: this.#refusals };
  }

  /** Reads the files now, also if nothing says that they have changed. */
  reload(): void {
    this.#watched?.check();
  }

  close(): void {
    this.#isClosed = true;
    this.#watched?.close();
  }

  async #load(texts: readonly FileText[], { recompile, replace }: LimitsFilesWatch<Value>): Promise<void> {
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
    const { path } = this;
    this.#log({ level: "info", event: "limits-loaded", text: `limits loaded from ${path}`, fields: { path } });
    this.#onStatus();
  }

  #refuse(lines: readonly string[]): void {
    this.#state = "kept";
    this.#refusals += 1;
    const { path } = this;
    const text = `limits of ${path} refused, those before stay in force: ${lines.length} mistakes`;
    this.#log({ level: "error", event: "limits-refused", text, fields: { path, mistakes: lines.length } });
    for (const line of lines.slice(0, MOST_LOGGED)) {
      this.#log({ level: "error", event: "limits-mistake", text: line, fields: { path } });
    }
    this.#onStatus();
  }
}
