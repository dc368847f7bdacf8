import type { BlockTime, Cost } from "tollgate";
import type { Facts, NamedValues } from "tollgate/config";
import { asText, checkNames, type Fields, fieldsIn, spanIn } from "../http/json-fields.ts";
import { malformed } from "../http/request-error.ts";

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

/**
 * Reads a call. `place` is where it stands in the body, for errors.
 *
 * @throws RequestError
 */
export function readDecideRequest(value: unknown, place: string): DecideRequest {
  const fields = fieldsIn(value, place);
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
        span: spanIn(fields, place),
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
  const verb = VERBS.find((known) => known === value);
  if (verb === undefined) throw malformed(place, `one of ${VERBS.join(", ")}`, value);
  return verb;
}

function aboutOf(fields: Fields, place: string): About {
  return {
    domain: asText(fields["domain"], `${place}.domain`),
    facts: factsOf(fields["facts"], `${place}.facts`),
  };
}

function factsOf(value: unknown, place: string): Facts {
  if (value === undefined) return {};
  const fields = fieldsIn(value, place, [...TEXT_FACTS, ...NAMED_FACTS]);
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
  const values: [string, string][] = Object.entries(fieldsIn(value, place)).map(([name, text]) => [
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
  throw malformed(`${place}.cost`, "a number, or an object with a number for each unit", value);
}

function optional<Value>(value: unknown, read: (value: unknown) => Value): Value | undefined {
  return value === undefined ? undefined : read(value);
}
