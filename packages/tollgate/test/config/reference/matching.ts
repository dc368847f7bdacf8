import type { Choice, LimitsFile, RuleWords } from "tollgate/config";
import { bitsOf, isIn, keyOfIp } from "./addresses.ts";

// What docs/limits-file.md says of matching and choice, as plainly as possible: every rule is compared in turn.

/** A request as plain values. */
export interface PlainFacts {
  readonly ip: string;
  readonly method: string;
  readonly path: string;
  readonly host: string;
  readonly header: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly cookie: Readonly<Record<string, string>>;
  readonly descriptor: Readonly<Record<string, string>>;
}

export interface Counting {
  readonly rule: string;
  readonly key: string | readonly string[];
  readonly chosenBy: "rule" | "plan" | "key";
  readonly chosen: string | undefined;
  readonly choice: Choice;
}

/** The rules of the domain `api` that count a request. */
export function countingRules(file: LimitsFile, facts: PlainFacts): Counting[] {
  const { ignoreCase = false, limits } = file.domains["api"]!;
  const counting: Counting[] = [];
  for (const [rule, words] of Object.entries(limits)) {
    if (words.mode === "off" || !matches(words, facts, ignoreCase)) continue;
    const by = listOf(words.by ?? []);
    const values = by.map((fact) => read(fact, facts, ignoreCase));
    if (values.includes("")) continue;
    const key = by.length === 0 ? "all" : by.length === 1 ? values[0]! : values;
    counting.push({ rule, key, ...choose(words, facts, ignoreCase, by[0], values[0]) });
  }
  return counting;
}

function choose(words: RuleWords, facts: PlainFacts, ignoreCase: boolean, by = "", value = "") {
  const { keys = {}, plans, limit } = words;
  const texts = by === "path" ? readings(facts.path, ignoreCase).map((path) => `/${path.join("/")}`) : [value];
  for (const text of texts) {
    for (const [name, choice] of Object.entries(keys)) {
      if ((by === "ip" ? keyOfIp(name) : name) !== text) continue;
      if (by === "path" && choice === "unlimited" && isAmbiguous(facts.path)) continue;
      return { chosenBy: "key", chosen: name, choice } as const;
    }
  }
  for (const [name, choice] of Object.entries(plans?.is ?? {})) {
    if (name === read(plans!.from, facts, ignoreCase)) return { chosenBy: "plan", chosen: name, choice } as const;
  }
  return { chosenBy: "rule", chosen: undefined, choice: limit ?? words } as const;
}

function matches({ match = {} }: RuleWords, facts: PlainFacts, ignoreCase: boolean): boolean {
  return Object.entries(match).every(([word, value]) => {
    switch (word) {
      case "path":
        return listOf(value as string).some((path) => pathMatches(path, facts.path, ignoreCase));
      case "ip": {
        const bits = bitsOf(facts.ip);
        return bits !== undefined && listOf(value as string).some((entry) => isIn(entry, bits));
      }
      case "descriptor":
        return Object.entries(value as object).every(([key, patterns]) =>
          textMatches(patterns, facts.descriptor[key] ?? ""),
        );
      case "host":
        return textMatches(
          listOf(value as string).map((host) => host.toLowerCase()),
          read(word, facts, ignoreCase),
        );
      default:
        return textMatches(value as string, read(word, facts, ignoreCase));
    }
  });
}

function read(fact: string, facts: PlainFacts, ignoreCase: boolean): string {
  const [kind = "", name = ""] = fact.split(".");
  switch (kind) {
    case "ip":
      return keyOfIp(facts.ip);
    case "method":
      return facts.method.toUpperCase();
    case "path":
      return `/${segments(facts.path, ignoreCase).join("/")}`;
    case "host":
      return facts.host.toLowerCase().replace(/:\d+$/, "").replace(/\.$/, "");
    case "header":
      return facts.header[name.toLowerCase()] ?? "";
    case "query":
      return facts.query[name] ?? "";
    case "cookie":
      return facts.cookie[name] ?? "";
    case "descriptor":
      return facts.descriptor[name] ?? "";
    default:
      throw new Error(`no fact: ${fact}`);
  }
}

function segments(path: string, ignoreCase: boolean): string[] {
  const kept: string[] = [];
  for (const raw of path.split("/")) {
    const segment = decodeURIComponent(raw);
    if (segment === "" || segment === ".") continue;
    if (segment === "..") kept.pop();
    else kept.push(ignoreCase ? segment.toLowerCase() : segment);
  }
  return kept;
}

function isAmbiguous(path: string): boolean {
  return path
    .split("/")
    .slice(1)
    .some((segment, i) => [".", ".."].includes(segment) || (segment === "" && i + 2 < path.split("/").length));
}

/** What servers may make of a path without parameters and encoded separators. */
function readings(path: string, ignoreCase: boolean): string[][] {
  const merged = segments(path, ignoreCase);
  const literal = path.split("/").filter((segment) => segment !== "");
  const asUrl = URL.canParse(path, "http://host") ? new URL(path, "http://host").pathname : path;
  return [
    merged,
    segments(asUrl, ignoreCase),
    literal.map((raw) => (ignoreCase ? decodeURIComponent(raw).toLowerCase() : decodeURIComponent(raw))),
  ];
}

/** By trying every number of segments for `**`. */
function pathMatches(pattern: string, path: string, ignoreCase: boolean): boolean {
  const tail = (wanted: readonly string[], given: readonly string[]): boolean => {
    const [first, ...rest] = wanted;
    if (first === undefined) return given.length === 0;
    if (first === "**") return [...given, ""].some((_, taken) => tail(rest, given.slice(taken)));
    return given.length > 0 && (first === "*" || first === given[0]) && tail(rest, given.slice(1));
  };
  const wanted = segments(pattern, ignoreCase);
  return readings(path, ignoreCase).some((given) => tail(wanted, given));
}

function textMatches(patterns: string | readonly string[], text: string): boolean {
  return listOf(patterns).some((pattern) => (text === "" ? pattern === "" : globMatches(pattern, text)));
}

/** By trying every length for each star. */
function globMatches(pattern: string, text: string): boolean {
  if (pattern === "") return text === "";
  if (pattern[0] !== "*") return pattern[0] === text[0] && globMatches(pattern.slice(1), text.slice(1));
  for (let taken = 0; taken <= text.length; taken += 1)
    if (globMatches(pattern.slice(1), text.slice(taken))) return true;
  return false;
}

function listOf<T>(some: T | readonly T[]): readonly T[] {
  return Array.isArray(some) ? some : [some as T];
}
