import type { BlockTime, Duration } from "tollgate";
import { malformed } from "./request-error.ts";

// Reads the JSON of requests. `place` is where a value stands in the body, for errors.

/** What an object of a request says, by name. */
export type Fields = Readonly<Record<string, unknown>>;

export function parseJson(text: string): unknown {
  // JSON has no `undefined`.
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (value === undefined) throw malformed("body", "JSON", text);
  return value;
}

/** The fields of an object. Without `known`, they may have any names. */
export function fieldsIn(value: unknown, place: string, known?: readonly string[]): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw malformed(place, "an object", value);
  return known === undefined ? (value as Fields) : checkNames(value as Fields, place, known);
}

/** A misspelt name would change what is done. */
export function checkNames(fields: Fields, place: string, known: readonly string[]): Fields {
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown === undefined) return fields;
  throw malformed(place, known.length === 0 ? "nothing" : `only ${known.join(", ")}`, unknown);
}

export function asText(value: unknown, place: string): string {
  if (typeof value === "string") return value;
  throw malformed(place, "a text", value);
}

/** How long a key is blocked: `for` or `until`. The library checks durations. */
export function spanIn({ for: duration, until }: Fields, place: string): BlockTime {
  if ((duration === undefined) === (until === undefined))
    throw malformed(place, "either for or until", { for: duration, until });
  if (typeof until === "number") return { until };
  if (until !== undefined) throw malformed(`${place}.until`, "milliseconds since the epoch", until);
  if (typeof duration === "string" || typeof duration === "number") return duration as Duration;
  throw malformed(`${place}.for`, 'a duration such as "10m", or milliseconds', duration);
}
