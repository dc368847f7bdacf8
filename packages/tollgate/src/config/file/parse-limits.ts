import { checkOptions, optionError } from "../../core/check-options.ts";
import { show, TollgateError } from "../../core/errors.ts";
import { readJson } from "../text/json-reader.ts";
import type { Source } from "../text/source.ts";
import type { YamlModule } from "../text/yaml-nodes.ts";
import { type ForeignYaml, readYaml } from "../text/yaml-reader.ts";
import { RuleCheck } from "./check-rule.ts";
import { ShapeCheck } from "./check-shape.ts";
import type { LimitsFile } from "./limits-file.ts";
import { LimitsFileError, Mistakes } from "./mistakes.ts";
import { FILE_SHAPE } from "./shapes.ts";

/** How a text is read. */
export interface ParseOptions {
  /** The name of the file, for error messages. A name that ends with `.json` means JSON. */
  readonly file?: string;
  /**
   * The package `yaml`: `import * as yaml from "yaml"`. Without it only JSON is read, and its mistakes have no lines,
   * because `JSON.parse` tells none.
   */
  readonly yaml?: YamlModule;
}

const OPTION_NAMES: Readonly<Record<keyof ParseOptions, true>> = { file: true, yaml: true };

/** In UTF-16 units. */
const LONGEST_TEXT = 5_000_000;
const BOM = "\ufeff";

/**
 * Reads a limits file, in YAML or JSON. It is read whole or not at all.
 *
 * @throws LimitsFileError with every mistake: file, line, column, what was expected and what came. A text that is no
 * JSON or no YAML has the first mistake of its parser.
 * @throws TollgateError `ERR_OPTION` for YAML without the package `yaml`.
 * @example
 * ```ts
 * import { createLimits, parseLimits } from "tollgate/config";
 * import * as yaml from "yaml";
 *
 * const text = `
 * version: 1
 * domains:
 *   api:
 *     limits:
 *       client: { by: ip, rate: 10/1s, burst: 20 }
 * `;
 * const limits = createLimits(parseLimits(text, { file: "limits.yaml", yaml }));
 * console.log(limits.consume("api", { ip: "192.0.2.1" }).remaining); // 19
 * ```
 */
export function parseLimits(text: string, options: ParseOptions = {}): LimitsFile {
  checkOptions("parseLimits", options, OPTION_NAMES);
  const { file, yaml } = options;
  if (typeof text !== "string") throw optionError("text", "a text", text, "; createLimits takes an object as it is");
  const own = text.startsWith(BOM) ? text.slice(1) : text;
  if (own.length > LONGEST_TEXT) {
    const message = `expected at most ${LONGEST_TEXT} characters, got ${own.length}`;
    return check({ value: undefined, mistakes: [{ at: 0, message }] }, file, "");
  }
  if (!isJson(own, options)) return check(readYaml(own, checkYaml(yaml)), file, own);
  const json = readJson(own);
  try {
    return check(json, file, own);
  } catch (error) {
    // Only the package `yaml` knows where a value is. What is no JSON is not read as YAML.
    if (json.value === undefined || yaml === undefined) throw error;
    return check(readYaml(own, yaml), file, own);
  }
}

/**
 * Checks a value of the program, such as what another thread sends. Mistakes have no line.
 *
 * @throws LimitsFileError
 */
export function checkLimitsFile(value: unknown): LimitsFile {
  return isChecked(value) ? value : check({ value, mistakes: [] });
}

function isJson(text: string, { file, yaml }: ParseOptions): boolean {
  if (file !== undefined && /\.ya?ml$/i.test(file)) return false;
  return (file !== undefined && /\.json$/i.test(file)) || (yaml === undefined && /^\s*\{/.test(text));
}

function checkYaml(yaml: YamlModule | undefined): YamlModule {
  if (typeof yaml?.parseDocument === "function" && typeof yaml.isMap === "function") return yaml;
  throw new TollgateError(
    "ERR_OPTION",
    `yaml: expected the package yaml, because the text is no JSON, got ${show(yaml)}; npm install yaml, ` +
      'import * as yaml from "yaml", and pass { yaml }',
  );
}

/**
 * Notes that a value is not what is expected. `words` lead to it, as names of maps and indexes of lists. A word that is
 * not known is a mistake of its `"key"`.
 */
export type NoteMistake = (words: readonly (string | number)[], message: string, part?: "key" | "value") => void;

/** How a file of another program is read. */
export interface ParseYamlOptions<Value> extends ForeignYaml {
  /** For error messages. */
  readonly file: string;
  /** The package `yaml`: `import * as yaml from "yaml"`. */
  readonly yaml: YamlModule;
  /** Makes of the file's value what is wanted, and notes every mistake. */
  readonly read: (value: unknown, note: NoteMistake) => Value;
}

/**
 * Reads a file of another program in YAML, such as limits of another service, as `parseLimits` reads limits files: deep
 * texts and texts that repeat themselves are refused, and mistakes have lines.
 *
 * @throws LimitsFileError with every mistake.
 * @example
 * ```ts
 * import { LimitsFileError, parseYaml } from "tollgate/config";
 * import * as yaml from "yaml";
 *
 * const options = { file: "a.yaml", yaml, mostLevels: 8, typed: [] };
 * console.log(parseYaml("rate: 0x10", { ...options, read: (value) => value })); // { rate: '0x10' }
 * try {
 *   parseYaml("- rate: 5", { ...options, read: (_value, note) => note([0, "rate"], "expected less") });
 * } catch (error) {
 *   console.log((error as LimitsFileError).message); // a.yaml:1:9: [0].rate: expected less
 * }
 * ```
 */
export function parseYaml<Value>(text: string, { file, yaml, read, ...foreign }: ParseYamlOptions<Value>): Value {
  return readSource(readYaml(text, checkYaml(yaml), foreign), file, text, (value, mistakes) =>
    read(value, (words, message, part) => mistakes.add(words, message, part)),
  );
}

/** Without `text` the mistakes have no lines. @throws LimitsFileError */
function check(source: Source, file?: string, text?: string): LimitsFile {
  return readSource(source, file, text, (value, mistakes) => {
    const shapes = new ShapeCheck(mistakes);
    const limits = shapes.fit(value, FILE_SHAPE, []) as LimitsFile;
    const isWhole = mistakes.count === 0;
    const trusted = trustedHeadersIn(value);
    for (const rule of shapes.rules) new RuleCheck({ ...rule, trusted, isWhole }, mistakes).check();
    return mistakes.count === 0 ? markChecked(limits) : limits;
  });
}

/** @throws LimitsFileError if the text or its value has mistakes. */
function readSource<Value>(
  { value, mistakes: faults, offsetOf }: Source,
  file: string | undefined,
  text: string | undefined,
  read: (value: unknown, mistakes: Mistakes) => Value,
): Value {
  const mistakes = new Mistakes();
  for (const fault of faults) mistakes.addOfText(fault);
  if (value !== undefined || text === undefined) {
    const found = read(value, mistakes);
    if (mistakes.count === 0) return found;
  }
  throw new LimitsFileError(mistakes.list(file, text, offsetOf));
}

/** In lower case. */
function trustedHeadersIn(value: unknown): ReadonlySet<string> {
  const { trustedHeaders } = Object(value) as { readonly trustedHeaders?: unknown };
  return new Set(Array.isArray(trustedHeaders) ? trustedHeaders.map((name) => String(name).toLowerCase()) : []);
}

/** Registered, so that the copies of the library for `import` and for `require` trust each other's files. */
const CHECKED = Symbol.for("tollgate.limits-file");

/** Marks what was checked. A copy has no mark, and is checked again. */
function markChecked(file: LimitsFile): LimitsFile {
  return Object.freeze(Object.defineProperty({ ...file }, CHECKED, { value: true }));
}

/**
 * Spares the check of a file that `parseLimits` returned in another thread: a copy has lost the mark of being checked,
 * and checking 10,000 rules takes long. A file that is wrong makes limits that are wrong.
 *
 * @example
 * ```ts
 * import { createLimits, parseLimits, trustLimitsFile } from "tollgate/config";
 *
 * const file = parseLimits('{ "version": 1, "domains": { "api": { "limits": { "all": { "rate": "2/1m" } } } } }');
 * const copy = structuredClone(file); // as postMessage does
 * console.log(createLimits(trustLimitsFile(copy)).consume("api", {}).remaining); // 1
 * ```
 */
export function trustLimitsFile(file: LimitsFile): LimitsFile {
  return isChecked(file) ? file : markChecked(file);
}

function isChecked(value: unknown): value is LimitsFile {
  return typeof value === "object" && value !== null && Object.hasOwn(value, CHECKED);
}
