import { TollgateError } from "../../core/errors.ts";
import { nearestWord } from "../../core/nearest-word.ts";
import type { LineMap } from "../text/line-map.ts";

/** One mistake of a limits file. */
export interface Mistake {
  /** The name of the file, if it was given. */
  readonly file: string | undefined;
  /** From 1; `undefined` for a value of the program, which has no text. */
  readonly line: number | undefined;
  /** In UTF-16 units, from 1. */
  readonly column: number | undefined;
  /** The words that lead to it: `domains.api.limits.login.rate`. Empty for the whole file. */
  readonly path: string;
  /** What was expected, what came, and the nearest known word. */
  readonly message: string;
}

/** The most mistakes that are reported. */
const MOST = 100;

/**
 * A limits file is wrong. Its message has a line for each mistake, `limits.yaml:4:9: domains.api…: expected …, got …`.
 */
export class LimitsFileError extends TollgateError {
  /** At least one, in the order of the file; the first hundred. */
  readonly mistakes: readonly Mistake[];

  constructor(mistakes: readonly Mistake[]) {
    super("ERR_FILE", mistakes.map(describeMistake).join("\n"));
    this.mistakes = mistakes;
  }
}

/** A mistake as one line: `limits.yaml:4:9: domains.api.limits.login.rate: expected …, got …`. */
export function describeMistake({ file, line, column, path, message }: Mistake): string {
  const place = [file ?? "limits", ...(line === undefined ? [] : [line, column])].join(":");
  return [place, ...(path === "" ? [] : [path]), message].join(": ");
}

/** Where in a file a value is: the words that lead to it. */
export interface Place {
  readonly at: number;
  readonly path: string;
}

/** Collects what is wrong with a file. */
export class Mistakes {
  readonly #file: string | undefined;
  readonly #lines: LineMap | undefined;
  readonly #found: (Place & { readonly message: string })[] = [];
  #count = 0;

  /** `lines` is missing for a value of the program. */
  constructor(file: string | undefined, lines: LineMap | undefined) {
    this.#file = file;
    this.#lines = lines;
  }

  get count(): number {
    return this.#count;
  }

  add({ at, path }: Place, message: string): void {
    this.#count += 1;
    // As many again, because checks do not find them in the order of the file.
    if (this.#found.length < 10 * MOST) this.#found.push({ at, path, message });
  }

  /** Adds `expected …, got …`, and the nearest of the known words. */
  expected(place: Place, expected: string, got: string, misspelt?: string, words: readonly string[] = []): void {
    const nearest = misspelt === undefined ? undefined : nearestWord(misspelt, words);
    const hint = nearest === undefined || nearest === misspelt ? "" : `; did you mean ${JSON.stringify(nearest)}?`;
    this.add(place, `expected ${expected}, got ${got}${hint}`);
  }

  /** In the order of the file. */
  list(): readonly Mistake[] {
    const sorted = [...this.#found].sort((one, other) => one.at - other.at).slice(0, MOST);
    const mistakes = sorted.map(({ at, path, message }) => this.#mistake(at, path, message));
    const rest = this.#count - mistakes.length;
    const last = sorted.at(-1);
    if (rest > 0 && last !== undefined)
      mistakes.push(this.#mistake(last.at, "", `expected no more mistakes, got ${rest}`));
    return mistakes;
  }

  #mistake(at: number, path: string, message: string): Mistake {
    const { line, column } = this.#lines?.of(at) ?? { line: undefined, column: undefined };
    return { file: this.#file, line, column, path, message };
  }
}
