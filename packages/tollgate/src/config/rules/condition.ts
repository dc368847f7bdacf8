import type { MatchWords, Patterns } from "../file/limits-file.ts";
import { AddressIndex } from "./address-index.ts";
import { type Fact, factName, parseFact } from "./fact.ts";
import { PathIndex } from "./path-index.ts";
import { patternSegments } from "./path-segments.ts";
import type { Request } from "./request.ts";
import { TextPattern } from "./text-pattern.ts";

/** One word of a rule's `match`. */
export type Condition = TextCondition | PathCondition | AddressCondition;

/** What a fact has to be. */
export interface TextCondition {
  readonly kind: "text";
  /** The word in the file. */
  readonly word: string;
  readonly fact: Fact;
  readonly patterns: readonly TextPattern[];
  /** The texts, if there is no wildcard among them: an index finds rules by these. */
  readonly exact: readonly string[] | undefined;
  readonly texts: readonly string[];
}

export interface PathCondition {
  readonly kind: "path";
  readonly word: "path";
  readonly paths: readonly string[];
  readonly ignoreCase: boolean;
}

export interface AddressCondition {
  readonly kind: "address";
  readonly word: "ip";
  readonly entries: readonly string[];
  readonly blocks: AddressIndex<true>;
}

/** The conditions of a rule: all of them hold for the requests that it counts. */
export function conditionsOf(match: MatchWords, ignoreCase: boolean): readonly Condition[] {
  const conditions: Condition[] = [];
  for (const [word, value] of Object.entries(match)) {
    switch (word) {
      case "path":
        conditions.push(pathCondition(listOf(value as string | readonly string[]), ignoreCase));
        break;
      case "ip":
        conditions.push(addressCondition(listOf(value as string | readonly string[])));
        break;
      case "host": {
        const hosts = listOf(value as Patterns).map((host) => host.toLowerCase());
        conditions.push(textCondition("host", { kind: "host" }, hosts));
        break;
      }
      case "descriptor":
        for (const [name, patterns] of Object.entries(value as Readonly<Record<string, Patterns>>)) {
          conditions.push(textCondition(`descriptor.${name}`, { kind: "descriptor", name }, listOf(patterns)));
        }
        break;
      default:
        conditions.push(textCondition(word, parseFact(word), listOf(value as Patterns)));
    }
  }
  return conditions;
}

/** Whether a condition holds for a request. A search in an index has answered this for paths. */
export function holds(condition: Condition, request: Request): boolean {
  switch (condition.kind) {
    case "text": {
      const text = request.read(condition.fact);
      return condition.patterns.some((pattern) => pattern.matches(text));
    }
    case "path":
      return matchesPath(condition, request);
    case "address": {
      const { address } = request;
      return address !== undefined && condition.blocks.has(address);
    }
    default:
      return condition satisfies never;
  }
}

/** What the condition expects, for an explanation. */
export function expectedBy(condition: Condition): string {
  switch (condition.kind) {
    case "text":
      return condition.texts.map((text) => JSON.stringify(text)).join(" or ");
    case "path":
      return condition.paths.join(" or ");
    case "address":
      return condition.entries.join(" or ");
    default:
      return condition satisfies never;
  }
}

/** What the request has there, for an explanation. */
export function gotFor(condition: Condition, request: Request): string {
  switch (condition.kind) {
    case "text":
      return request.read(condition.fact);
    case "path":
      return request.read({ kind: "path" });
    case "address":
      return request.read({ kind: "ip" });
    default:
      return condition satisfies never;
  }
}

function matchesPath({ paths, ignoreCase }: PathCondition, { segments }: Request): boolean {
  if (segments === undefined) return false;
  const index = new PathIndex<true>();
  for (const path of paths) index.at(patternSegments(path, ignoreCase), () => true);
  const found: true[] = [];
  index.find(segments, found);
  return found.length > 0;
}

function textCondition(word: string, fact: Fact, texts: readonly string[]): TextCondition {
  const patterns = texts.map((text) => new TextPattern(text));
  const exact = patterns.flatMap((pattern) => pattern.exact ?? []);
  return {
    kind: "text",
    word: word === "method" || word === "host" ? word : factName(fact),
    fact,
    patterns,
    exact: exact.length === patterns.length ? exact : undefined,
    texts,
  };
}

function pathCondition(paths: readonly string[], ignoreCase: boolean): PathCondition {
  return { kind: "path", word: "path", paths, ignoreCase };
}

function addressCondition(entries: readonly string[]): AddressCondition {
  const blocks = new AddressIndex<true>();
  for (const entry of entries) blocks.add(entry, true);
  return { kind: "address", word: "ip", entries, blocks };
}

function listOf(some: string | readonly string[]): readonly string[] {
  return typeof some === "string" ? [some] : some;
}
