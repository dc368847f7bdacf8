import type { HeaderFormats } from "./forms/header-forms.ts";
import type { HeaderList } from "./header-list.ts";
import type { RateLimited } from "./rate-limited.ts";

/** A limiter that was asked about a request, and what it decided. Each links to the one that was asked before. */
export interface Asked {
  /** What handlers find. */
  readonly decision: RateLimited;
  /** The forms in which its `headers` option has responses tell the limits. */
  readonly formats: HeaderFormats;
  /** The name of the quota's partition, if `partitionKey` gave one. */
  readonly partition: string | undefined;
  readonly before: Asked | undefined;
  /** Settles the request, if this limiter or one before it can. */
  readonly settle: RateLimited["settle"] | undefined;
  /** The headers that the response got. */
  given: HeaderList;
  /** Whether the handler behind this limiter, or its denial, has answered. */
  isOver: boolean;
}

/** Registered, so that a copy of this package sees the limiters of another copy. */
const ASKED = Symbol.for("tollgate.asked");

/** What represents a request and its response, such as Node's request. A property is faster than a `WeakMap`. */
type Exchange = object & { [ASKED]?: Asked | undefined };

/** The last limiter that was asked, whether or not its handler has answered. */
export function lastAsked(exchange: object): Asked | undefined {
  return (exchange as Exchange)[ASKED];
}

/** The last limiter whose handler has not answered: the response will have its headers too. */
export function askedBefore(exchange: object): Asked | undefined {
  let asked = lastAsked(exchange);
  while (asked?.isOver === true) asked = asked.before;
  return asked;
}

export function noteAsked(exchange: object, asked: Asked): void {
  (exchange as Exchange)[ASKED] = asked;
}

/** Notes that the handler behind a limiter, or its denial, has answered. The same object may be the next request. */
export function endAsked(asked: Asked | undefined): void {
  if (asked !== undefined) asked.isOver = true;
}

/** All limiters, the first one first. */
export function allAsked(last: Asked): readonly Asked[] {
  const all: Asked[] = [];
  for (let asked: Asked | undefined = last; asked !== undefined; asked = asked.before) all.unshift(asked);
  return all;
}

/** Whether a limiter that was asked before has set this header. */
export function isGivenBefore(asked: Asked, name: string, value: unknown): boolean {
  for (let earlier = asked.before; earlier !== undefined; earlier = earlier.before) {
    if (earlier.given.some((header) => header[0] === name && header[1] === value)) return true;
  }
  return false;
}
