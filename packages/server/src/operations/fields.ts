import type { IncomingMessage } from "node:http";
import { type Duration, fixedWindow, TollgateError } from "tollgate";
import { readText, typeOf } from "./read-text.ts";
import { malformed } from "./request-error.ts";

/** What a request of an operator says, by name. */
export type Fields = Readonly<Record<string, unknown>>;

const MOST_BODY_BYTES = 16 * 1024;

/** The fields of a JSON body. @throws RequestError for another body, or one with other fields. */
export async function fieldsOfBody(request: IncomingMessage, names: readonly string[]): Promise<Fields> {
  typeOf(request, ["application/json"]);
  const value = parse(await readText(request, MOST_BODY_BYTES));
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw malformed("body", "an object", value);
  return checkNames(value as Fields, "body", names);
}

/** The fields of a query. One that comes several times is a list. @throws RequestError for other fields. */
export function fieldsOfQuery(request: IncomingMessage, names: readonly string[]): Fields {
  const [, query = ""] = /\?([^#]*)/.exec(request.url ?? "") ?? [];
  const parameters = new URLSearchParams(query);
  const fields = [...new Set(parameters.keys())].map((name): [string, unknown] => {
    const values = parameters.getAll(name);
    return [name, values.length === 1 ? values[0] : values];
  });
  return checkNames(Object.fromEntries(fields), "query", names);
}

export function textIn(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === "string") return value;
  throw malformed(name, "a text", value);
}

/** The milliseconds of a duration, in bounds. */
export function durationIn(fields: Fields, name: string, leastMs: number, mostMs: number): number {
  const value = fields[name];
  try {
    // The library reads durations.
    const { windowMs } = fixedWindow({ limit: 1, window: value as Duration });
    if (windowMs >= leastMs && windowMs <= mostMs) return windowMs;
  } catch (error) {
    if (!(error instanceof TollgateError)) throw error;
  }
  throw malformed(name, `a duration such as "10m", from ${leastMs} to ${mostMs} ms`, value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) throw malformed("body", "JSON", text);
    throw cause;
  }
}

/** A misspelt name would change what is done. */
function checkNames(fields: Fields, place: string, names: readonly string[]): Fields {
  const unknown = Object.keys(fields).find((name) => !names.includes(name));
  if (unknown === undefined) return fields;
  throw malformed(place, names.length === 0 ? "nothing" : `only ${names.join(", ")}`, unknown);
}
