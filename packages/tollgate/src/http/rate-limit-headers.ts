import { optionError } from "../core/check-options.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import type { Decision, Denied } from "../core/decision.ts";
import { show, TollgateError } from "../core/errors.ts";
import type { Limit } from "../core/limits/limit.ts";
import { allTold, type Told } from "./asked.ts";
import { retryAfterSeconds } from "./denial.ts";
import {
  type ClientQuota,
  HEADER_FORMATS,
  type HeaderForm,
  type HeaderFormats,
  WIRE_FORMS,
  type WireForm,
} from "./forms/header-forms.ts";
import type { HeaderList } from "./header-list.ts";

const NO_HEADERS: HeaderList = [];
const POLICY = "RateLimit-Policy";

type Header = HeaderList[number];

/** A decision of limits that enforce, which headers can tell. */
type Limited = Told & { readonly decision: Decision & { readonly limit: Limit; readonly limitRemaining: number } };

/** The RateLimit headers of one limiter's responses, in the forms that its `headers` option names. */
export class RateLimitHeaders {
  readonly formats: HeaderFormats;

  /** @throws TollgateError `ERR_OPTION` for an unknown form, or for forms that exclude each other. */
  constructor(option: unknown) {
    this.formats = formatsOf(option);
  }

  /** The names of all headers that a response may have. */
  get names(): readonly string[] {
    const formats = [...this.formats.values()];
    const names = formats.flatMap(({ policies, stateHeaders }) => [
      ...(policies === undefined ? [] : [POLICY]),
      ...stateHeaders,
    ]);
    return [...new Set(names)];
  }

  /**
   * The headers after this limiter has decided: none if no limit applied, or the option is `false`. If other limiters
   * were asked before, the headers list the policies of all in that order, and the tightest state, in the forms of all.
   */
  of(last: Told, clock: Clock): HeaderList {
    if (this.formats.size === 0 || !isLimited(last)) return NO_HEADERS;
    if (last.before === undefined) return headersOf(this.formats, [last], last, clock);
    return headersOfAll(allTold(last).filter(isLimited), clock);
  }
}

/** A limiter with `headers: false` is not told of. */
function isLimited(asked: Told): asked is Limited {
  const { limit, limitRemaining } = asked.decision;
  return asked.formats.size > 0 && limit !== undefined && limitRemaining !== undefined;
}

function headersOfAll(all: readonly Limited[], clock: Clock): HeaderList {
  const given = all.flatMap(({ formats }) => [...formats]);
  const formats = new Map(given.toSorted(([one], [other]) => FORMS.indexOf(one) - FORMS.indexOf(other)));
  const tightest = all.reduce((tightestYet, asked) => (isTighter(asked, tightestYet) ? asked : tightestYet));
  return headersOf(formats, all, tightest, clock);
}

/** Whether a client has to wait longer or, without a wait, has the smaller fraction left. */
function isTighter({ decision: one }: Limited, { decision: other }: Limited): boolean {
  if (one.retryAfterMs !== other.retryAfterMs) return one.retryAfterMs > other.retryAfterMs;
  return one.limitRemaining / one.limit.capacity < other.limitRemaining / other.limit.capacity;
}

function headersOf(formats: HeaderFormats, all: readonly Limited[], tightest: Limited, clock: Clock): HeaderList {
  const list: Header[] = [];
  const quota = quotaOf(tightest);
  for (const { policies, state } of formats.values()) {
    const texts = policies?.of(all, clock);
    // An empty list of policies is not sent.
    if (texts) list.push([POLICY, texts]);
    list.push(...state(quota, clock));
  }
  return formats.size === 1 ? list : firstOfEach(list);
}

/** If forms share a header, the first form's is sent. */
function firstOfEach(list: HeaderList): HeaderList {
  return list.filter(([name], at) => list.findIndex(([other]) => other === name) === at);
}

function quotaOf({ decision, partition }: Limited): ClientQuota {
  const remaining = decision.allowed || !isHeldUp(decision) ? decision.limitRemaining : 0;
  return { limit: decision.limit, remaining, waitMs: waitOf(decision), partition };
}

/** A client that is blocked, or behind others that wait, can use nothing, whatever its counts. */
function isHeldUp({ reason }: Denied): boolean {
  return reason === "blocked" || reason === "others-waiting";
}

/** Milliseconds until more is available. A client with nothing left sends nothing until then. */
function waitOf(decision: Decision): number {
  if (!decision.allowed) return Number.isFinite(decision.retryAfterMs) ? decision.retryAfterMs : decision.resetMs;
  return decision.limitRemaining === 0 && decision.retryAfterMs > 0 ? decision.retryAfterMs : decision.resetMs;
}

/** The newest form first. */
const FORMS = Object.keys(HEADER_FORMATS) as readonly WireForm[];

function formatsOf(option: unknown): HeaderFormats {
  if (option === false) return new Map();
  // An empty list is refused as an unknown form.
  const given: readonly unknown[] = Array.isArray(option) && option.length > 0 ? option : [option];
  for (const form of given) {
    if (typeof form === "string" && Object.hasOwn(WIRE_FORMS, form)) continue;
    const known = Object.keys(WIRE_FORMS).map(show).join(", ");
    throw optionError("headers", `false, or one or several of ${known}`, form);
  }
  const wanted = new Set((given as readonly HeaderForm[]).map((form) => WIRE_FORMS[form]));
  const formats = new Map(FORMS.filter((form) => wanted.has(form)).map((form) => [form, HEADER_FORMATS[form]()]));
  checkNoConflict(formats);
  return formats;
}

function checkNoConflict(formats: HeaderFormats): void {
  const entries = [...formats];
  for (const [index, [form, { stateHeaders }]] of entries.entries()) {
    const other = entries.find(
      ([, format], at) => at > index && format.stateHeaders.some((name) => stateHeaders.includes(name)),
    );
    if (other === undefined) continue;
    throw new TollgateError(
      "ERR_OPTION",
      `headers: expected either ${show(form)} or ${show(other[0])}, whose headers have the same names, got both`,
    );
  }
}

/** The default form, which keeps the text of the policies that it has written last. */
const DRAFT_11 = /* @__PURE__ */ new RateLimitHeaders("draft-11");

/**
 * The headers of a decision, for servers that no adapter serves: those of the RateLimit forms, and `Retry-After` if the
 * call was denied and may pass later. `headers` is the option of the adapters, `"draft-11"` by default.
 *
 * @throws TollgateError `ERR_OPTION` for what is no decision, such as a promise, and for forms that do not exist or
 *   exclude each other.
 * @example
 * ```ts
 * import { createLimiter, perMinute } from "tollgate";
 * import { rateLimitHeaders } from "tollgate/node";
 *
 * const limiter = createLimiter({ limits: [perMinute(1)] });
 * console.log(rateLimitHeaders(limiter.consume("ann"))[1]); // [ 'RateLimit', '"1-per-1m";r=0;t=60' ]
 * console.log(rateLimitHeaders(limiter.consume("ann")).at(-1)); // [ 'Retry-After', '60' ]
 * ```
 */
export function rateLimitHeaders(
  decision: Decision,
  headers: HeaderForm | readonly HeaderForm[] | false = "draft-11",
): HeaderList {
  if (typeof decision?.allowed !== "boolean") throw optionError("rateLimitHeaders", "a decision", decision);
  const forms = headers === "draft-11" ? DRAFT_11 : new RateLimitHeaders(headers);
  const told: Told = { decision, formats: forms.formats, partition: undefined, before: undefined };
  const list = forms.of(told, systemClock);
  const seconds = decision.allowed ? null : retryAfterSeconds(told, 0);
  return seconds === null ? list : [...list, ["Retry-After", String(seconds)]];
}
