import type { BlockTime, Duration } from "tollgate";
import { malformed } from "./request-error.ts";

/** The words that lead to a value: names of fields, and indexes of lists. */
export type Words = readonly (string | number)[];

/**
 * Refuses a value, or the field of that name in it. It throws, or it notes the mistake. Then what was read is not used.
 */
export type Fail = (words: Words, expected: string, got: unknown, field?: string) => never;

/** Reads a value of JSON or YAML. */
export type Reader<Value> = (value: unknown, words: Words, fail: Fail) => Value;

type FieldReaders<Value> = { readonly [Name in keyof Value]: Reader<Value[Name]> };

export const asText: Reader<string> = (value, words, fail) =>
  typeof value === "string" ? value : fail(words, "a text", value);

export const asFlag: Reader<boolean> = (value, words, fail) => {
  const known = ["false", "true"].indexOf(String(value));
  return known < 0 ? fail(words, "true or false", value) : known === 1;
};

/** Long numbers may be texts, because JSON in JavaScript rounds them. */
export function wholeNumber(most: number): Reader<number> {
  return (value, words, fail) => {
    const number = typeof value === "string" && /^\d{1,20}$/.test(value) ? Number(value) : value;
    const isFit = typeof number === "number" && Number.isInteger(number) && number >= 0 && number <= most;
    return isFit ? number : fail(words, `a whole number from 0 to ${most}`, value);
  };
}

export function oneOf<Word extends string>(known: readonly Word[]): Reader<Word> {
  return (value, words, fail) =>
    known.find((word) => word === value) ?? fail(words, `one of ${known.join(", ")}`, value);
}

/** `undefined` and `null` stand for a missing value. */
export function optional<Value>(read: Reader<Value>): Reader<Value | undefined> {
  return (value, words, fail) => (value == null ? undefined : read(value, words, fail));
}

export function orElse<Value>(read: Reader<Value>, otherwise: Value): Reader<Value> {
  return (value, words, fail) => (value == null ? otherwise : read(value, words, fail));
}

export function listOf<Value>(read: Reader<Value>): Reader<readonly Value[]> {
  return (value, words, fail) =>
    Array.isArray(value) ? value.map((item, i) => read(item, [...words, i], fail)) : fail(words, "a list", value);
}

/** An object whose names are data. */
export function mapOf<Value>(read: Reader<Value>): Reader<{ readonly [name: string]: Value }> {
  return (value, words, fail) => {
    if (!isObject(value)) return fail(words, "an object", value);
    const entries = Object.entries(value).map(([name, one]) => [name, read(one, [...words, name], fail)] as const);
    return Object.fromEntries(entries);
  };
}

/** An object with these fields. Others are refused, because a misspelt name would change what is done. */
export function asFields<Value extends object>(readers: FieldReaders<Value>): Reader<Value> {
  const names = Object.keys(readers) as (keyof Value & string)[];
  const expected = names.length === 0 ? "nothing" : `only ${names.join(", ")}`;
  return (value, words, fail) => {
    if (!isObject(value)) return fail(words, "an object", value);
    const unknown = Object.keys(value).find((name) => !Object.hasOwn(readers, name));
    if (unknown !== undefined) fail(words, expected, unknown, unknown);
    return Object.fromEntries(
      names.flatMap((name) => {
        const read = readers[name](value[name], [...words, name], fail);
        return read === undefined ? [] : [[name, read]];
      }),
    ) as Value;
  };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The library checks durations. */
const asDuration: Reader<Duration> = (value, words, fail) =>
  typeof value === "string" || typeof value === "number"
    ? (value as Duration)
    : fail(words, 'a duration such as "10m", or milliseconds', value);

const asMoment: Reader<number> = (value, words, fail) =>
  typeof value === "number" ? value : fail(words, "milliseconds since the epoch", value);

/** What says how long a key is blocked. */
export interface SpanFields {
  readonly for?: Duration | undefined;
  readonly until?: number | undefined;
}

export const SPAN: FieldReaders<Required<SpanFields>> = { for: optional(asDuration), until: optional(asMoment) };

export function spanOf({ for: duration, until }: SpanFields, words: Words, fail: Fail): BlockTime {
  if (duration !== undefined && until === undefined) return duration;
  if (duration === undefined && until !== undefined) return { until };
  return fail(words, "either for or until", { for: duration, until });
}

/** Refuses a request. `root` is what the words begin in. */
export function refuseIn(root: string): Fail {
  return (words, expected, got) => {
    throw malformed(pathOf(words) || root, expected, got);
  };
}

/** Such as `requests[1].domain`. */
function pathOf(words: Words): string {
  const parts = words.map((word) => (typeof word === "number" ? `[${word}]` : `.${word}`));
  return parts.join("").replace(/^\./, "");
}

/** The value of a JSON text. @throws RequestError 400. */
export function parseJson(json: string): unknown {
  // JSON has no `undefined`.
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {}
  if (value === undefined) throw malformed("body", "JSON", json);
  return value;
}
