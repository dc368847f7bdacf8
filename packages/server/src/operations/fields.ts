import type { IncomingMessage } from "node:http";
import { type Duration, fixedWindow, TollgateError } from "tollgate";
import { readText, typeOf } from "../http/read-text.ts";
import { parseJson, type Reader, refuseIn } from "../http/readers.ts";

const MOST_BODY_BYTES = 16 * 1024;

/** @throws RequestError for a body that is no JSON, or not what is read. */
export async function readBody<Value>(request: IncomingMessage, read: Reader<Value>): Promise<Value> {
  typeOf(request, ["application/json"]);
  return read(parseJson(await readText(request, MOST_BODY_BYTES)), [], refuseIn("body"));
}

/** Reads the query as an object. A parameter that comes several times is a list. @throws RequestError */
export function readQuery<Value>(request: IncomingMessage, read: Reader<Value>): Value {
  const [, query = ""] = /\?([^#]*)/.exec(request.url ?? "") ?? [];
  const parameters = new URLSearchParams(query);
  const given = [...new Set(parameters.keys())].map((name): [string, unknown] => {
    const values = parameters.getAll(name);
    return [name, values.length === 1 ? values[0] : values];
  });
  return read(Object.fromEntries(given), [], refuseIn("query"));
}

/** The milliseconds of a duration, in bounds. */
export function durationMs(leastMs: number, mostMs: number): Reader<number> {
  return (value, words, fail) => {
    try {
      // The library reads durations.
      const { windowMs } = fixedWindow({ limit: 1, window: value as Duration });
      if (windowMs >= leastMs && windowMs <= mostMs) return windowMs;
    } catch (error) {
      if (!(error instanceof TollgateError)) throw error;
    }
    return fail(words, `a duration such as "10m", from ${leastMs} to ${mostMs} ms`, value);
  };
}
