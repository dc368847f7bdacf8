import type { BlockTime, Cost } from "tollgate";
import type { Facts, NamedValues } from "tollgate/config";
import {
  asFields,
  asText,
  type Fail,
  isObject,
  listOf,
  mapOf,
  oneOf,
  optional,
  orElse,
  type Reader,
  SPAN,
  spanOf,
  type Words,
} from "../http/readers.ts";

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

const texts = listOf(asText);

const values = mapOf<string | readonly string[]>((value, words, fail) => {
  if (Array.isArray(value)) return texts(value, words, fail);
  return typeof value === "string" ? value : fail(words, "a text, or a list of texts", value);
});

/** Names of headers may be in any case, as HTTP has them: two names that differ in it are lines of one header. */
const headers: Reader<NamedValues> = (value, words, fail) => {
  const lines = new Map<string, string | readonly string[]>();
  for (const [given, own] of Object.entries(values(value, words, fail))) {
    const name = given.toLowerCase();
    lines.set(name, lines.has(name) ? [lines.get(name) ?? [], own].flat() : own);
  }
  return Object.fromEntries(lines);
};

const facts: Reader<Facts> = asFields({
  ip: optional(asText),
  method: optional(asText),
  path: optional(asText),
  host: optional(asText),
  header: optional(headers),
  query: optional(values),
  cookie: optional(values),
  descriptor: optional(mapOf(asText)),
});

/** The library checks the numbers. */
const cost: Reader<Cost> = (value, words, fail) =>
  typeof value === "number" || isObject(value)
    ? (value as Cost)
    : fail(words, "a number, or an object with a number for each unit", value);

const ABOUT = { domain: asText, facts: orElse(facts, {}) };
const about = asFields(ABOUT);
const asking = asFields({ ...ABOUT, cost: optional(cost) });
const counting = asFields({ ...ABOUT, cost });
const blocking = asFields({ ...ABOUT, ...SPAN, reason: optional(asText) });

/** What each verb takes. */
const READERS: Readonly<Record<DecideRequest["verb"], Reader<object>>> = {
  consume: asking,
  peek: asking,
  charge: counting,
  refund: counting,
  reserve: asking,
  settle: asFields({ reservation: asText, cost }),
  cancel: asFields({ reservation: asText }),
  block: (value, words, fail) => {
    const { for: duration, until, ...call } = blocking(value, words, fail);
    return { ...call, span: spanOf({ for: duration, until }, words, fail) };
  },
  unblock: about,
  reset: about,
};

const verbOf = orElse(oneOf(Object.keys(READERS) as DecideRequest["verb"][]), "consume");

/** Reads a call. */
export function readDecideRequest(value: unknown, words: Words, fail: Fail): DecideRequest {
  if (!isObject(value)) return fail(words, "an object", value);
  const { verb: given, ...call } = value;
  const verb = verbOf(given, [...words, "verb"], fail);
  return { verb, ...READERS[verb](call, words, fail) } as DecideRequest;
}
