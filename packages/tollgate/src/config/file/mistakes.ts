import { TollgateError } from "../../core/errors.ts";
import { nearestWord } from "../../core/nearest-word.ts";
import type { Source, TextMistake, Words } from "../text/source.ts";

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
 *
 * @example
 * ```ts
 * import { LimitsFileError, parseLimits } from "tollgate/config";
 * import * as yaml from "yaml";
 *
 * const text = `
 * version: 1
 * domains:
 *   api:
 *     limits:
 *       client: { by: ip, rate: fast }
 * `;
 * try {
 *   parseLimits(text, { file: "limits.yaml", yaml });
 * } catch (error) {
 *   if (!(error instanceof LimitsFileError)) throw error;
 *   const [mistake] = error.mistakes;
 *   console.log(mistake?.line, mistake?.path); // 6 domains.api.limits.client.rate
 *   console.log(mistake?.message); // expected a count and a duration, such as 60/1m or 0.5/1s, got "fast"
 * }
 * ```
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
function describeMistake({ file, line, column, path, message }: Mistake): string {
  const place = [file ?? "limits", ...(line === undefined ? [] : [line, column])].join(":");
  return [place, ...(path === "" ? [] : [path]), message].join(": ");
}

interface Found {
  readonly words: Words;
  readonly part: "key" | "value";
  /** Where it is in the text, if that is known already. */
  readonly at?: number;
  readonly message: string;
}

/** Collects what is wrong with a file. */
export class Mistakes {
  readonly #found: Found[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(words: Words, message: string, part: "key" | "value" = "value"): void {
    this.#add({ words, part, message });
  }

  /** Adds `expected …, got …`. */
  expected(words: Words, expected: string, got: string, part: "key" | "value" = "value"): void {
    this.add(words, `expected ${expected}, got ${got}`, part);
  }

  addOfText({ at, words = [], message }: TextMistake): void {
    this.#add({ words, part: "value", at, message });
  }

  #add(found: Found): void {
    this.#count += 1;
    // As many again, because checks do not find them in the order of the file.
    if (this.#found.length < 10 * MOST) this.#found.push(found);
  }

  /** In the order of the file. Without `text` they have no lines. */
  list(file: string | undefined, text: string | undefined, offsetOf: Source["offsetOf"]): readonly Mistake[] {
    const located = this.#found.map(({ words, part, at, message }) => {
      // A word that is not known belongs to the map around it.
      const path = pathOf(part === "key" ? words.slice(0, -1) : words);
      return { path, message, at: at ?? offsetOf?.(words, part) };
    });
    const sorted = located.sort((one, other) => (one.at ?? 0) - (other.at ?? 0)).slice(0, MOST);
    const rest = this.#count - sorted.length;
    const last = sorted.at(-1);
    if (rest > 0) sorted.push({ path: "", at: last?.at, message: `expected no more mistakes, got ${rest}` });
    const placeOf = text === undefined ? () => NO_PLACE : placesIn(text);
    return sorted.map(({ at, path, message }) => ({
      file,
      ...(at === undefined ? NO_PLACE : placeOf(at)),
      path,
      message,
    }));
  }
}

const NO_PLACE = { line: undefined, column: undefined };

/** Finds offsets that ascend. Lines end as in YAML: with CR, LF or both. */
function placesIn(text: string): (at: number) => Pick<Mistake, "line" | "column"> {
  const ends = text.matchAll(/\r\n?|\n/g);
  let line = 1;
  let start = 0;
  let end = ends.next();
  return (at) => {
    for (; end.done !== true && end.value.index + end.value[0].length <= at; end = ends.next()) {
      line += 1;
      start = end.value.index + end.value[0].length;
    }
    return { line, column: at - start + 1 };
  };
}

const LONGEST_KEY = 60;

function pathOf(words: Words): string {
  const parts = words.map((word) => {
    if (typeof word === "number") return `[${word}]`;
    return `.${word.length > LONGEST_KEY ? `${word.slice(0, LONGEST_KEY)}…` : word}`;
  });
  return parts.join("").replace(/^\./, "");
}

/** `; did you mean "rate"?`, if one of these words is near. */
export function hintOf(misspelt: string, words: readonly string[]): string {
  const nearest = nearestWord(misspelt, words);
  return nearest === undefined || nearest === misspelt ? "" : `; did you mean ${JSON.stringify(nearest)}?`;
}
