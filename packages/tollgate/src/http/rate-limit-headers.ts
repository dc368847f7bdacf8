import { optionError } from "../core/check-options.ts";
import type { Decision } from "../core/decision.ts";
import { show, TollgateError } from "../core/errors.ts";
import type { ClientQuota, HeaderFormat } from "./forms/header-format.ts";
import { HEADER_FORMATS, type HeaderForm, WIRE_FORMS, type WireForm } from "./forms/header-forms.ts";
import type { HeaderList } from "./header-list.ts";

const NO_HEADERS: HeaderList = [];

/** The RateLimit headers of one limiter's responses, in the forms that its `headers` option names. */
export class RateLimitHeaders {
  /** Whether a form needs the current time. */
  readonly needsTime: boolean;
  readonly #formats: readonly HeaderFormat[];

  /** @throws TollgateError `ERR_OPTION` for an unknown form, or for forms that exclude each other. */
  constructor(option: unknown) {
    this.#formats = formatsOf(option);
    this.needsTime = this.#formats.some(({ needsTime }) => needsTime);
  }

  /** The names of all headers that a response may have. */
  get names(): readonly string[] {
    return [
      ...new Set(this.#formats.flatMap(({ policyHeader, stateHeaders }) => [policyHeader ?? [], stateHeaders].flat())),
    ];
  }

  /** The headers for a decision: none if no limit applied, or the option is `false`. */
  of(decision: Decision, nowMs: number, partition: string | undefined): HeaderList {
    const first = this.#formats[0];
    if (first === undefined) return NO_HEADERS;
    const { limit, limits, limitRemaining: remaining } = decision;
    if (limit === undefined || remaining === undefined) return NO_HEADERS;
    const waitMs = waitOf(decision);
    // Rounded up, so that a client that waits finds what the headers told.
    const seconds = Math.ceil(waitMs / 1000);
    const resetSeconds = this.needsTime ? Math.ceil((nowMs + waitMs) / 1000) : 0;
    const state: ClientQuota = { limits, limit, remaining, seconds, resetSeconds, partition };
    if (this.#formats.length === 1) return first.headers(state);
    const all = this.#formats.flatMap((format) => format.headers(state));
    return all.filter(([name], index) => all.findIndex(([other]) => other === name) === index);
  }
}

/** Milliseconds until more is available. A client with nothing left sends nothing until then. */
function waitOf(decision: Decision): number {
  if (!decision.allowed) return Number.isFinite(decision.retryAfterMs) ? decision.retryAfterMs : decision.resetMs;
  return decision.limitRemaining === 0 && decision.retryAfterMs > 0 ? decision.retryAfterMs : decision.resetMs;
}

function formatsOf(option: unknown): readonly HeaderFormat[] {
  if (option === false) return [];
  // An empty list is refused as an unknown form.
  const given: readonly unknown[] = Array.isArray(option) && option.length > 0 ? option : [option];
  for (const form of given) {
    if (typeof form === "string" && Object.hasOwn(WIRE_FORMS, form)) continue;
    const known = Object.keys(WIRE_FORMS).map(show).join(", ");
    throw optionError("headers", `false, or one or several of ${known}`, form);
  }
  const wanted = new Set((given as readonly HeaderForm[]).map((form) => WIRE_FORMS[form]));
  // In the order of the table.
  const forms = (Object.keys(HEADER_FORMATS) as WireForm[]).filter((form) => wanted.has(form));
  const formats = forms.map((form) => HEADER_FORMATS[form]());
  checkNoConflict(forms, formats);
  return formats;
}

function checkNoConflict(forms: readonly WireForm[], formats: readonly HeaderFormat[]): void {
  for (const [index, { stateHeaders }] of formats.entries()) {
    const other = formats.findIndex(
      (format, at) => at > index && format.stateHeaders.some((name) => stateHeaders.includes(name)),
    );
    if (other < 0) continue;
    throw new TollgateError(
      "ERR_OPTION",
      `headers: expected either ${show(forms[index])} or ${show(forms[other])}, whose headers have the same names, got both`,
    );
  }
}
