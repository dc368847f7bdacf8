import type { Decision } from "../core/decision.ts";
import { show, TollgateError } from "../core/errors.ts";
import { draft6 } from "./forms/draft-6.ts";
import { draft7 } from "./forms/draft-7.ts";
import { draft11 } from "./forms/draft-11.ts";
import type { Form, Standing } from "./forms/form.ts";
import { legacy } from "./forms/legacy.ts";
import type { HeaderList } from "./header-list.ts";

/**
 * A form in which limits are told: `"draft-11"` of the IETF's RateLimit fields, whose wire form 08 to 10 share, the older 07
 * and 06, or the `X-RateLimit-*` fields of before.
 */
export type HeaderForm = "draft-11" | "draft-7" | "draft-6" | "legacy";

const FORMS: Readonly<Record<HeaderForm, () => Form>> = {
  "draft-11": draft11,
  "draft-7": draft7,
  "draft-6": draft6,
  legacy,
};

const NO_FIELDS: HeaderList = [];

/** The fields of one limiter's responses. */
export class RateLimitHeaders {
  /** Whether they tell a moment, for which the time has to be read. */
  readonly tellMoments: boolean;
  readonly #forms: readonly Form[];

  /** @throws TollgateError `ERR_OPTION` for no form, or forms whose fields exclude each other. */
  constructor(option: unknown) {
    this.#forms = formsOf(option).map((form) => FORMS[form]());
    this.tellMoments = this.#forms.some(({ tellsMoments }) => tellsMoments);
  }

  /** The names of all fields that may be sent. */
  get fieldNames(): readonly string[] {
    return [...new Set(this.#forms.flatMap(({ fieldNames }) => fieldNames))];
  }

  /** The fields for a decision: none where no limit applied, or none was asked. */
  fields(decision: Decision, nowMs: number, partition: string | undefined): HeaderList {
    const first = this.#forms[0];
    if (first === undefined) return NO_FIELDS;
    const { limit, limits, limitRemaining: remaining } = decision;
    if (limit === undefined) return NO_FIELDS;
    const waitMs = waitOf(decision);
    // Rounded up, so that a client that waits finds what it was told.
    const seconds = Math.ceil(waitMs / 1000);
    const resetSeconds = this.tellMoments ? Math.ceil((nowMs + waitMs) / 1000) : 0;
    const standing: Standing = { limits, limit, remaining, seconds, resetSeconds, partition };
    if (this.#forms.length === 1) return first.fields(standing);
    // Where two forms share a field, the first one's stands.
    const all = this.#forms.flatMap((form) => form.fields(standing));
    return all.filter(([name], index) => all.findIndex(([other]) => other === name) === index);
  }
}

/** Milliseconds until there is more. Clients that find nothing left send nothing until then. */
function waitOf(decision: Decision): number {
  if (!decision.allowed) return Number.isFinite(decision.retryAfterMs) ? decision.retryAfterMs : decision.resetMs;
  return decision.limitRemaining === 0 && decision.nextMs > 0 ? decision.nextMs : decision.resetMs;
}

function formsOf(option: unknown): HeaderForm[] {
  if (option === false) return [];
  // An empty list is none of them.
  const forms: readonly unknown[] = Array.isArray(option) && option.length > 0 ? option : [option];
  for (const form of forms) {
    if (typeof form === "string" && Object.hasOwn(FORMS, form)) continue;
    const known = Object.keys(FORMS).map(show).join(", ");
    throw new TollgateError("ERR_OPTION", `headers: expected false, or one or several of ${known}, got ${show(form)}`);
  }
  const distinct = [...new Set(forms as readonly HeaderForm[])];
  if (distinct.includes("draft-11") && distinct.includes("draft-7")) {
    throw new TollgateError(
      "ERR_OPTION",
      'headers: expected either "draft-11" or "draft-7", whose fields have the same names, got both',
    );
  }
  // The newest form has the field that several share.
  return (Object.keys(FORMS) as HeaderForm[]).filter((form) => distinct.includes(form));
}
