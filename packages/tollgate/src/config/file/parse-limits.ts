import { checkOptions } from "../../core/check-options.ts";
import { show, TollgateError } from "../../core/errors.ts";
import { readJson } from "../text/json-reader.ts";
import { LineMap } from "../text/line-map.ts";
import type { ReadText, SourceNode } from "../text/source-node.ts";
import { readValue } from "../text/value-reader.ts";
import { readYaml, type YamlModule } from "../text/yaml-reader.ts";
import { RuleCheck, type RuleToCheck } from "./check-rule.ts";
import { ShapeCheck } from "./check-shape.ts";
import type { LimitsFile, RuleWords } from "./limits-file.ts";
import { LimitsFileError, type Mistake, Mistakes } from "./mistakes.ts";
import { fittingPart, plainValue, wordOf } from "./node-value.ts";
import { FILE_SHAPE } from "./shapes.ts";

/** How a text is read. */
export interface ParseOptions {
  /** The name of the file, for error messages. A name that ends with `.json` means JSON. */
  readonly file?: string;
  /** The package `yaml`: `import * as yaml from "yaml"`. Without it only JSON is read. */
  readonly yaml?: YamlModule;
}

const OPTION_NAMES: Readonly<Record<keyof ParseOptions, true>> = { file: true, yaml: true };

/** In UTF-16 units. */
const LONGEST_TEXT = 5_000_000;
const BOM = "\ufeff";

/** A file that was read whole, or all that is wrong with it. */
export type ReadLimits =
  | { readonly ok: true; readonly limits: LimitsFile }
  | { readonly ok: false; readonly mistakes: readonly Mistake[] };

/**
 * Reads a limits file, in YAML or JSON. It is read whole or not at all.
 *
 * @throws LimitsFileError with every mistake: file, line, column, what was expected and what came.
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
  const read = readLimits(text, options);
  if (read.ok) return read.limits;
  throw new LimitsFileError(read.mistakes);
}

/**
 * Works like `parseLimits`, and returns the mistakes.
 *
 * @throws TollgateError `ERR_OPTION` for YAML without the package `yaml`.
 * @example
 * ```ts
 * import { describeMistake, readLimits } from "tollgate/config";
 *
 * const read = readLimits('{ "version": 1, "domain": {} }', { file: "limits.json" });
 * const [missing, unknown] = read.ok ? [] : read.mistakes.map(describeMistake);
 * console.log(missing); // limits.json:1:1: expected the word "domains", got a map without it
 * console.log(unknown?.slice(0, 43)); // limits.json:1:17: expected one of the words
 * ```
 */
export function readLimits(text: string, options: ParseOptions = {}): ReadLimits {
  checkOptions("parseLimits", options, OPTION_NAMES);
  const { file, yaml } = options;
  if (typeof text !== "string") throw new TollgateError("ERR_OPTION", `text: expected a text, got ${show(text)}`);
  const own = text.startsWith(BOM) ? text.slice(1) : text;
  const mistakes = new Mistakes(file, new LineMap(own.slice(0, LONGEST_TEXT)));
  if (own.length > LONGEST_TEXT) {
    mistakes.expected({ at: 0, path: "" }, `at most ${LONGEST_TEXT} characters`, String(own.length));
    return { ok: false, mistakes: mistakes.list() };
  }
  return readNodes(isJson(own, options) ? readJson(own) : readYaml(own, checkYaml(yaml)), mistakes);
}

/**
 * Works like `parseLimits`, for a value of the program: what `JSON.parse` returns, or another thread sends. Mistakes
 * have no line.
 *
 * @throws LimitsFileError
 * @example
 * ```ts
 * import { checkLimitsFile, LimitsFileError } from "tollgate/config";
 *
 * try {
 *   checkLimitsFile({ version: 1, domains: { api: { limits: { all: { rate: 60 } } } } });
 * } catch (error) {
 *   if (!(error instanceof LimitsFileError)) throw error;
 *   console.log(error.mistakes[0]?.path); // domains.api.limits.all.rate
 * }
 * ```
 */
export function checkLimitsFile(value: unknown): LimitsFile {
  if (isChecked(value)) return value;
  const read = readNodes(readValue(value), new Mistakes(undefined, undefined));
  if (read.ok) return read.limits;
  throw new LimitsFileError(read.mistakes);
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

function readNodes(read: ReadText, mistakes: Mistakes): ReadLimits {
  if ("mistakes" in read) {
    for (const { at, message } of read.mistakes) mistakes.add({ at, path: "" }, message);
    return { ok: false, mistakes: mistakes.list() };
  }
  const { root } = read;
  const shapes = new ShapeCheck(mistakes);
  shapes.check(root, FILE_SHAPE, "");
  const value = mistakes.count === 0 ? (plainValue(root) as LimitsFile) : undefined;
  for (const rule of rulesIn(root, shapes.unfit, value)) new RuleCheck({ ...rule, mistakes }).check();
  if (value === undefined || mistakes.count > 0) return { ok: false, mistakes: mistakes.list() };
  return { ok: true, limits: markChecked(value) };
}

/** The rules of a file, as far as they fit. `value` is that of a file that fits as a whole. */
function* rulesIn(
  root: SourceNode,
  unfit: ShapeCheck["unfit"],
  value: LimitsFile | undefined,
): Generator<Omit<RuleToCheck, "mistakes">> {
  const trusted = trustedHeadersIn(root);
  const domains = wordOf(root, "domains");
  if (domains?.kind !== "map") return;
  for (const domain of domains.entries) {
    const rules = wordOf(domain.value, "limits");
    if (rules?.kind !== "map") continue;
    for (const { key: name, value: node } of rules.entries) {
      const path = `domains.${domain.key}.limits.${name}`;
      const whole = value?.domains[domain.key]?.limits[name];
      const fitting = whole === undefined ? fittingPart(node, unfit) : node;
      if (fitting?.kind !== "map") continue;
      const rule = whole ?? (plainValue(fitting) as RuleWords);
      yield { trusted, node: fitting, path, name, rule, isWhole: unfit.size === 0 };
    }
  }
}

function trustedHeadersIn(root: SourceNode): ReadonlySet<string> {
  const list = wordOf(root, "trustedHeaders");
  const items = list?.kind === "list" ? list.items : [];
  return new Set(items.map((item) => (item.kind === "scalar" ? String(item.value).toLowerCase() : "")));
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
