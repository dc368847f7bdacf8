import { spanMs, timestampMs } from "./spans.ts";
import { MOST_MEMBERS, readMembers } from "./structured-members.ts";

/** How many requests a server admits in a window. */
export interface QuotaPolicy {
  readonly quota: number;
  readonly windowMs: number;
}

/**
 * The milliseconds until the reset of each limit of which nothing remains, 0 without a reset. What is unclear says
 * nothing. Reads `RateLimit` of drafts 07 to 11; without that `RateLimit-*` of draft 06, `X-RateLimit-*` with endings
 * such as `-requests`, and prefixes of vendors such as `anthropic-ratelimit-tokens-`.
 *
 * Source: draft-ietf-httpapi-ratelimit-headers; the public documentation of the services.
 */
export function readUsedUp(headers: Headers, nowMs: number): readonly number[] {
  const members = readMembers(headers.get("ratelimit"));
  const keyed = new Map(members.map(({ key, value }) => [key, value]));
  const states = keyed.has("remaining")
    ? [{ remaining: keyed.get("remaining"), reset: keyed.get("reset") }]
    : members.map(({ parameters }) => ({ remaining: parameters.get("r"), reset: parameters.get("t") }));
  return (states.length > 0 ? states : separateStates(headers))
    .filter(({ remaining }) => remaining?.trim() === "0")
    .map(({ reset = "" }) => spanMs(reset, nowMs) ?? 0);
}

/** Larger numbers are no limits that requests could meet. */
const MOST_QUOTA = 1_000_000;
const LONGEST_WINDOW_MS = 31 * 86_400_000;

/** Reads `RateLimit-Policy`: `"a";q=100;w=60`, and `100;w=60` of the drafts 06 and 07. Other units are left out. */
export function readPolicies(headers: Headers): readonly QuotaPolicy[] {
  return readMembers(headers.get("ratelimit-policy")).flatMap(({ value, parameters }) => {
    const quota = Number(parameters.get("q") ?? value);
    const windowMs = Number(parameters.get("w")) * 1_000;
    const isUsable = quota > 0 && quota <= MOST_QUOTA && windowMs > 0 && windowMs <= LONGEST_WINDOW_MS;
    const countsRequests = (parameters.get("qu") ?? '"requests"') === '"requests"';
    return isUsable && countsRequests ? [{ quota: Math.ceil(quota), windowMs }] : [];
  });
}

type StateParts = Partial<Record<"remaining" | "reset", string>>;

const SEPARATE = /^(?:x-|[a-z]{1,32}-)?rate-?limit-(?:([a-z0-9_-]{0,64}?)-)?(remaining|reset)(?:-([a-z0-9_-]{1,64}))?$/;

/** Headers that have a part each: what comes before or after the part names the limit. */
function separateStates(headers: Headers): readonly StateParts[] {
  const states = new Map<string, StateParts>();
  for (const [header, value] of headers) {
    const [, before, part, after] = SEPARATE.exec(header) ?? [];
    if (part === undefined) continue;
    const name = before ?? after ?? "";
    if (states.has(name) || states.size < MOST_MEMBERS) states.set(name, { ...states.get(name), [part]: value });
  }
  return [...states.values()];
}

/** The milliseconds that `Retry-After` asks for: seconds, or a date. 0 where it asks for nothing. */
export function readRetryAfter(headers: Headers, nowMs: number): number {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,12}(?:\.\d{1,9})?$/.test(text)) return Number(text) * 1_000;
  return Math.max(0, (timestampMs(text) ?? nowMs) - nowMs);
}
