import type { IncomingMessage } from "node:http";
import { type Duration, fixedWindow, TollgateError } from "tollgate";
import { asText, checkNames, type Fields, fieldsIn, parseJson } from "../http/json-fields.ts";
import { readText, typeOf } from "../http/read-text.ts";
import { malformed } from "../http/request-error.ts";

const MOST_BODY_BYTES = 16 * 1024;

/** The fields of a JSON body. @throws RequestError for another body, or one with other fields. */
export async function fieldsOfBody(request: IncomingMessage, names: readonly string[]): Promise<Fields> {
  typeOf(request, ["application/json"]);
  return fieldsIn(parseJson(await readText(request, MOST_BODY_BYTES)), "body", names);
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
  return asText(fields[name], name);
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
