import type { Decision } from "../core/decision.ts";
import { TollgateError } from "../core/errors.ts";
import type { HeaderFormats } from "./forms/header-forms.ts";
import type { HeaderList } from "./header-list.ts";
import type { RateLimited } from "./rate-limited.ts";

/** What headers tell of a limiter that was asked. Each links to the one that was asked before. */
export interface Told {
  readonly decision: Decision;
  /** The forms in which its `headers` option has responses tell the limits. */
  readonly formats: HeaderFormats;
  /** The name of the quota's partition, if `partitionKey` gave one. */
  readonly partition: string | undefined;
  readonly before: Told | undefined;
}

/** A limiter that was asked about a request, and what it decided. */
export interface Asked extends Told {
  /** What handlers find. */
  readonly decision: RateLimited;
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

/**
 * Notes what a limiter has decided, for handlers and for the limiters that follow. `settle` is given if this limiter
 * can settle the request.
 */
export function noteDecision(
  exchange: object,
  decision: Decision,
  formats: HeaderFormats,
  partition: string | undefined,
  settle: RateLimited["settle"] | undefined,
): Asked {
  // If its handler has not answered, the response will have its headers, too.
  let before = (exchange as Exchange)[ASKED];
  while (before?.isOver === true) before = before.before;
  const settles = settle ?? before?.settle;
  // A copy: observers have the original.
  const told: RateLimited = { ...decision, settle: settles ?? refuseToSettle };
  const asked: Asked = { decision: told, formats, partition, before, settle: settles, given: [], isOver: false };
  (exchange as Exchange)[ASKED] = asked;
  return asked;
}

function refuseToSettle(): never {
  throw new TollgateError(
    "ERR_OPTION",
    "settle: expected rateLimit with settle: true, or chargeAfter, got one with neither",
  );
}

/** Notes the limiter with another object that stands for the same request. */
export function noteAsked(exchange: object, asked: Asked): void {
  (exchange as Exchange)[ASKED] = asked;
}

/** Notes that the handler behind a limiter, or its denial, has answered. The same object may be the next request. */
export function endAsked(asked: Asked | undefined): void {
  if (asked !== undefined) asked.isOver = true;
}

/** All limiters, the first one first. */
export function allTold(last: Told): readonly Told[] {
  const all: Told[] = [];
  for (let asked: Told | undefined = last; asked !== undefined; asked = asked.before) all.unshift(asked);
  return all;
}

/** Whether a limiter that was asked before has set this header. */
export function isGivenBefore(asked: Asked, name: string, value: unknown): boolean {
  for (let earlier = asked.before; earlier !== undefined; earlier = earlier.before) {
    if (earlier.given.some((header) => header[0] === name && header[1] === value)) return true;
  }
  return false;
}
