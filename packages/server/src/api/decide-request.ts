import type { BlockTime, Cost, Duration } from "tollgate";
import type { Facts, NamedValues } from "tollgate/config";
import { excerpt } from "../http/excerpt.ts";

/** A request of `POST /v1/decide` is not what was expected. Nothing was counted. */
export class BadRequestError extends Error {
  override readonly name = "BadRequestError";
}

/** One call, by its verb. */
export type DecideRequest =
  | (About & { readonly verb: "consume" | "peek" | "reserve"; readonly cost: Cost | undefined })
  | (About & { readonly verb: "charge" | "refund"; readonly cost: Cost })
  | (About & { readonly verb: "block"; readonly span: BlockTime; readonly reason: string | undefined })
  | (About & { readonly verb: "unblock" | "reset" })
  | { readonly verb: "settle"; readonly reservation: string; readonly cost: Cost }
  | { readonly verb: "cancel"; readonly reservation: string };

/** The request that a call is about. */
interface About {
  readonly domain: string;
  readonly facts: Facts;
}

const VERBS = [
  "consume",
  "peek",
  "charge",
  "refund",
  "reserve",
  "settle",
  "cancel",
  "block",
  "unblock",
  "reset",
] as const;

const TEXT_FACTS = ["ip", "method", "path", "host"] as const;
const NAMED_FACTS = ["header", "query", "cookie", "descriptor"] as const;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a call. `place` is where it stands in the body, for errors.
 *
 * @throws BadRequestError
 */
export function readDecideRequest(value: unknown, place: string): DecideRequest {
  const fields = asFields(value, place);
  const verb = verbOf(fields["verb"], `${place}.verb`);
  switch (verb) {
    case "consume":
    case "peek":
    case "reserve":
      checkNames(fields, place, ["verb", "domain", "facts", "cost"]);
      return { verb, ...aboutOf(fields, place), cost: optional(fields["cost"], (cost) => asCost(cost, place)) };
    case "charge":
    case "refund":
      checkNames(fields, place, ["verb", "domain", "facts", "cost"]);
      return { verb, ...aboutOf(fields, place), cost: asCost(fields["cost"], place) };
    case "block":
      checkNames(fields, place, ["verb", "domain", "facts", "for", "until", "reason"]);
      return {
        verb,
        ...aboutOf(fields, place),
        span: spanOf(fields, place),
        reason: optional(fields["reason"], (reason) => asText(reason, `${place}.reason`)),
      };
    case "unblock":
    case "reset":
      checkNames(fields, place, ["verb", "domain", "facts"]);
      return { verb, ...aboutOf(fields, place) };
    case "settle":
      checkNames(fields, place, ["verb", "reservation", "cost"]);
      return {
        verb,
        reservation: asText(fields["reservation"], `${place}.reservation`),
        cost: asCost(fields["cost"], place),
      };
    case "cancel":
      checkNames(fields, place, ["verb", "reservation"]);
      return { verb, reservation: asText(fields["reservation"], `${place}.reservation`) };
    default:
      return verb satisfies never;
  }
}

function verbOf(value: unknown, place: string): (typeof VERBS)[number] {
  if (value === undefined) return "consume";
  return VERBS.find((verb) => verb === value) ?? fail(place, `one of ${VERBS.join(", ")}`, value);
}

function aboutOf(fields: Fields, place: string): About {
  return {
    domain: asText(fields["domain"], `${place}.domain`),
    facts: factsOf(fields["facts"], `${place}.facts`),
  };
}

function factsOf(value: unknown, place: string): Facts {
  if (value === undefined) return {};
  const fields = asFields(value, place);
  checkNames(fields, place, [...TEXT_FACTS, ...NAMED_FACTS]);
  const facts: Record<string, unknown> = {};
  for (const name of TEXT_FACTS) {
    if (fields[name] !== undefined) facts[name] = asText(fields[name], `${place}.${name}`);
  }
  for (const name of NAMED_FACTS) {
    if (fields[name] !== undefined) facts[name] = namedValues(fields[name], `${place}.${name}`, name === "header");
  }
  return facts;
}

/** Names of headers may be in any case, as HTTP has them. */
function namedValues(value: unknown, place: string, isHeader: boolean): NamedValues {
  const values: [string, string][] = Object.entries(asFields(value, place)).map(([name, text]) => [
    isHeader ? name.toLowerCase() : name,
    asText(text, `${place}.${name}`),
  ]);
  return Object.fromEntries(values);
}

/** The library checks the numbers. */
function asCost(value: unknown, place: string): Cost {
  if (typeof value === "number" || (typeof value === "object" && value !== null && !Array.isArray(value))) {
    return value as Cost;
  }
  return fail(`${place}.cost`, "a number, or an object with a number for each unit", value);
}

function spanOf(fields: Fields, place: string): BlockTime {
  const { for: duration, until } = fields;
  if ((duration === undefined) === (until === undefined)) return fail(place, "either for or until", fields);
  if (duration === undefined) {
    return typeof until === "number" ? { until } : fail(`${place}.until`, "milliseconds since the epoch", until);
  }
  if (typeof duration === "string" || typeof duration === "number") return duration as Duration;
  return fail(`${place}.for`, 'a duration such as "10m", or milliseconds', duration);
}

function asFields(value: unknown, place: string): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  return fail(place, "an object", value);
}

function asText(value: unknown, place: string): string {
  return typeof value === "string" ? value : fail(place, "a text", value);
}

/** A misspelt name would change what is counted. */
function checkNames(fields: Fields, place: string, known: readonly string[]): void {
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown !== undefined) fail(place, `only ${known.join(", ")}`, unknown);
}

function optional<Value>(value: unknown, read: (value: unknown) => Value): Value | undefined {
  return value === undefined ? undefined : read(value);
}

function fail(place: string, expected: string, got: unknown): never {
  throw new BadRequestError(`${place}: expected ${expected}, got ${excerpt(got)}`);
}
