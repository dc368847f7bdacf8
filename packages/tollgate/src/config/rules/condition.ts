import type { MatchWords, Patterns } from "../file/limits-file.ts";
import { type Fact, parseFact } from "./fact.ts";
import { PathIndex, type PathReading, type PatternSegment } from "./path-index.ts";
import { patternSegments } from "./path-readings.ts";
import type { Request } from "./request.ts";
import { bitPatterns } from "./request-address.ts";
import { TextPattern } from "./text-pattern.ts";

/** One word of a rule's `match`: what a fact has to be. */
export type Condition = TextCondition | PathCondition;

interface Common {
  /** The word in the file. */
  readonly word: string;
  readonly fact: Fact;
  /** What the file lists. One of these has to match. */
  readonly listed: readonly string[];
}

export interface TextCondition extends Common {
  readonly kind: "text";
  readonly patterns: readonly TextPattern[];
  /** The texts, if there is no wildcard among them: an index finds rules by these. */
  readonly exact: readonly string[] | undefined;
}

export interface PathCondition extends Common {
  readonly kind: "path";
  readonly paths: readonly (readonly PatternSegment[])[];
}

/** The conditions of a rule: all of them hold for the requests that it counts. */
export function conditionsOf(match: MatchWords, ignoreCase: boolean): readonly Condition[] {
  return Object.entries(match).flatMap(([word, value]): readonly Condition[] => {
    if (word === "descriptor") {
      const entries = Object.entries(value as Readonly<Record<string, Patterns>>);
      return entries.map(([name, patterns]) => textCondition(parseFact(`descriptor.${name}`), [patterns].flat()));
    }
    const listed = [value as Patterns].flat();
    const fact = parseFact(word);
    switch (fact.kind) {
      case "path": {
        const paths = listed.map((path) => patternSegments(path, ignoreCase));
        return [{ kind: "path", word, fact, listed, paths }];
      }
      case "ip":
        return [textCondition(fact, listed, listed.flatMap(bitPatterns))];
      case "host":
        return [
          textCondition(
            fact,
            listed.map((host) => host.toLowerCase()),
          ),
        ];
      default:
        return [textCondition(fact, listed)];
    }
  });
}

/** Whether a condition holds for a request. A search in an index has answered this for paths. */
export function holds(condition: Condition, request: Request): boolean {
  switch (condition.kind) {
    case "text": {
      const readings = request.readingsOf(condition.fact);
      return readings?.some((text) => condition.patterns.some((pattern) => pattern.matches(text))) !== false;
    }
    case "path":
      return request.path.isLong || matchesPath(condition.paths, request.path.readings);
    default:
      return condition satisfies never;
  }
}

/** What the condition expects, for an explanation. */
export function expectedBy({ kind, fact, listed }: Condition): string {
  const isText = kind === "text" && fact.kind !== "ip";
  return listed.map((text) => (isText ? JSON.stringify(text) : text)).join(" or ");
}

function matchesPath(paths: PathCondition["paths"], readings: readonly PathReading[]): boolean {
  const index = new PathIndex<true>();
  for (const path of paths) index.at(path, () => true);
  const found = new Set<true>();
  index.find(readings, found);
  return found.size > 0;
}

function textCondition(fact: Fact, listed: readonly string[], texts: readonly string[] = listed): TextCondition {
  const patterns = texts.map((text) => new TextPattern(text));
  const exact = patterns.flatMap((pattern) => pattern.exact ?? []);
  const isExact = exact.length === patterns.length;
  return { kind: "text", word: fact.id, fact, listed, patterns, exact: isExact ? exact : undefined };
}
