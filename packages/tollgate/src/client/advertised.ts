import { spanMs, timestampMs } from "./spans.ts";

/** What a server's response says of one of its limits. */
export interface Advertised {
  /** Units left, and the milliseconds until more come. */
  readonly remaining: number | undefined;
  readonly resetMs: number | undefined;
  /** Units in a window, where the server says both. */
  readonly quota: number | undefined;
  readonly windowMs: number | undefined;
}

/** One limit, part by part, as texts. */
type Parts = Record<"limit" | "remaining" | "reset" | "window", string | undefined>;

/**
 * Reads the limits that a response advertises: `RateLimit` and `RateLimit-Policy` of drafts 06 to 11, `X-RateLimit-*`
 * with endings such as `-requests`, and prefixes of vendors such as `anthropic-ratelimit-tokens-`. What it does not
 * understand says nothing.
 *
 * Source: draft-ietf-httpapi-ratelimit-headers; the public documentation of the services.
 */
export function readAdvertised(headers: Headers, nowMs: number): readonly Advertised[] {
  const named = namedLimits(headers.get("ratelimit"), headers.get("ratelimit-policy"));
  const all = named.length > 0 ? named : [...separateLimits(headers)];
  return all.map((parts) => meaningOf(parts, nowMs));
}

/** `RateLimit: "a";r=5;t=3` with its policy, or `limit=10, remaining=5, reset=3`. */
function namedLimits(states: string | null, policies: string | null): Parts[] {
  if (states === null) return [];
  const policyOf = new Map(itemsOf(policies ?? "").map((item) => [item.name, item]));
  const isDraft7 = /^\s*(?:limit|remaining|reset)\s*=/i.test(states);
  if (isDraft7) {
    const of = (name: string) => new RegExp(`\\b${name}\\s*=\\s*(\\d{1,16})`, "i").exec(states)?.[1];
    const limit = of("limit");
    return [
      { limit, remaining: of("remaining"), reset: of("reset"), window: policyOf.get(limit ?? "")?.parameters["w"] },
    ];
  }
  return itemsOf(states).map(({ name, parameters }) => {
    const policy = policyOf.get(name)?.parameters ?? {};
    return { limit: policy["q"], remaining: parameters["r"], reset: parameters["t"], window: policy["w"] };
  });
}

interface Item {
  readonly name: string;
  readonly parameters: Readonly<Record<string, string | undefined>>;
}

/** The items of a structured list, each with its parameters. */
function itemsOf(list: string): Item[] {
  const items: Item[] = [];
  for (const [, quoted, bare, parameters = ""] of list.matchAll(
    /(?:"((?:[^"\\]|\\.){0,256})"|([\w.-]{1,256}))((?:\s*;\s*[a-z]{1,8}\s*=\s*(?:"[^"]{0,256}"|[^;,"\s]{1,256}))*)\s*(?:,|$)/gi,
  )) {
    const found = parameters.matchAll(/;\s*([a-z]+)\s*=\s*"?([^;,"\s]*)/gi);
    items.push({
      name: quoted ?? bare ?? "",
      parameters: Object.fromEntries([...found].map(([, key = "", value]) => [key.toLowerCase(), value])),
    });
    if (items.length === MOST_LIMITS) break;
  }
  return items;
}

/** A response tells of no more limits than these. */
const MOST_LIMITS = 16;
const SEPARATE = /^(?:x-|[a-z]{1,32}-)?rate-?limit-(?:([a-z-]{0,64}?)-)?(limit|remaining|reset)(?:-([a-z-]{1,64}))?$/;

/** Headers that have a part each: what comes before or after the part names the limit. */
function separateLimits(headers: Headers): Iterable<Parts> {
  const limits = new Map<string, Parts>();
  for (const [name, value] of headers) {
    const match = SEPARATE.exec(name);
    if (match === null) continue;
    const key = match[1] ?? match[3] ?? "";
    const parts = limits.get(key) ?? { limit: undefined, remaining: undefined, reset: undefined, window: undefined };
    if (limits.size === MOST_LIMITS && !limits.has(key)) continue;
    parts[match[2] as "limit" | "remaining" | "reset"] = value;
    limits.set(key, parts);
  }
  const policy = headers.get("ratelimit-policy");
  const only = limits.get("");
  // Draft 06: `RateLimit-Policy: 100;w=60`.
  if (policy !== null && only !== undefined) only.window = itemsOf(policy)[0]?.parameters["w"];
  return limits.values();
}

function meaningOf({ limit, remaining, reset, window }: Parts, nowMs: number): Advertised {
  return {
    remaining: unitsOf(remaining),
    resetMs: reset === undefined ? undefined : spanMs(reset, nowMs),
    quota: unitsOf(limit),
    windowMs: window === undefined ? undefined : spanMs(window, nowMs),
  };
}

/** The first number: draft 06 lists policies after the limit. */
function unitsOf(text: string | undefined): number | undefined {
  const digits = text === undefined ? undefined : /^\s*(\d{1,15})\b/.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The milliseconds that `Retry-After` asks for: seconds, or a date. */
export function readRetryAfter(headers: Headers, nowMs: number): number | undefined {
  const text = headers.get("retry-after")?.trim();
  if (text === undefined || text === "") return undefined;
  if (/^\d{1,12}(?:\.\d{1,9})?$/.test(text)) return Number(text) * 1_000;
  const at = timestampMs(text);
  return at === undefined ? undefined : Math.max(0, at - nowMs);
}
