import type { BlockSpan, LimitStatus } from "tollgate";
import type { KeyHandle, RuleWords } from "tollgate/config";
import type { Operator, OperatorRoutes } from "../http/operator.ts";
import type { LimitsInForce } from "../limits/limits-in-force.ts";
import { audit } from "../log/audit.ts";
import { clientName } from "../log/client-name.ts";
import type { Log } from "../log/log.ts";
import { type Answer, action } from "./action.ts";
import { type Fields, fieldsOfBody, fieldsOfQuery, textIn } from "./fields.ts";
import { checkRule } from "./known-rule.ts";
import { malformed } from "./request-error.ts";

export interface KeyRouteSettings {
  readonly inForce: LimitsInForce;
  readonly log: Log;
}

/** A key of a rule. */
interface NamedKey {
  readonly domain: string;
  readonly rule: string;
  readonly handle: KeyHandle | KeyHandle<"async">;
  /** What the log calls it: keys may be secrets. */
  readonly logged: string;
}

const KEY = ["domain", "rule", "key"];

/** What `clientName` hashes begins with it. */
const SECRET = "0:";

/** Explains, resets, blocks and unblocks the keys of single rules. */
export function keyRoutes(settings: KeyRouteSettings): OperatorRoutes {
  const { inForce } = settings;
  return {
    "/v1/keys/explain": {
      GET: action("read", (request) => explain(inForce, fieldsOfQuery(request, KEY))),
      POST: action("read", async (request) => explain(inForce, await fieldsOfBody(request, KEY))),
    },
    "/v1/keys/reset": {
      POST: action("write", async (request, operator) => {
        const key = keyIn(inForce, await fieldsOfBody(request, KEY));
        await key.handle.reset();
        note(settings, operator, "key.reset", key);
        return { body: {} };
      }),
    },
    "/v1/keys/block": {
      POST: action("write", async (request, operator) =>
        block(settings, operator, await fieldsOfBody(request, [...KEY, "for", "until", "reason"])),
      ),
    },
    "/v1/keys/unblock": {
      POST: action("write", async (request, operator) => {
        const key = keyIn(inForce, await fieldsOfBody(request, KEY));
        const wasBlocked = await key.handle.unblock();
        note(settings, operator, "key.unblock", key);
        return { body: { wasBlocked } };
      }),
    },
  };
}

async function explain(inForce: LimitsInForce, fields: Fields): Promise<Answer> {
  const { handle } = keyIn(inForce, fields);
  const limits: readonly LimitStatus[] = await handle.explain();
  const until = await handle.blockedUntil();
  return {
    body: {
      blockedUntil: until === undefined ? null : new Date(until).toISOString(),
      limits: limits.map(({ name, unit, capacity, used, remaining, retryAfterMs, resetMs, allowed, mode }) => ({
        name,
        unit,
        capacity,
        used,
        remaining,
        retryAfterMs: finite(retryAfterMs),
        resetMs: finite(resetMs),
        allowed,
        mode,
      })),
    },
  };
}

async function block(settings: KeyRouteSettings, operator: Operator, fields: Fields): Promise<Answer> {
  const key = keyIn(settings.inForce, fields);
  const reason = fields["reason"] === undefined ? undefined : textIn(fields, "reason");
  await key.handle.block(spanIn(fields), reason === undefined ? {} : { reason });
  const until = await key.handle.blockedUntil();
  const blockedUntil = until === undefined ? null : new Date(until).toISOString();
  note(settings, operator, "key.block", key, { until: blockedUntil ?? undefined, reason });
  return { body: { blockedUntil } };
}

function spanIn(fields: Fields): BlockSpan {
  const { for: duration, until } = fields;
  if ((duration === undefined) === (until === undefined)) throw malformed("body", "either for or until", fields);
  if (until !== undefined) {
    if (typeof until === "number") return { until };
    throw malformed("until", "milliseconds since the epoch", until);
  }
  if (typeof duration === "string" || typeof duration === "number") return duration as BlockSpan;
  throw malformed("for", 'a duration such as "10m", or milliseconds', duration);
}

function keyIn(inForce: LimitsInForce, fields: Fields): NamedKey {
  const domain = textIn(fields, "domain");
  const rule = textIn(fields, "rule");
  const words = checkRule(inForce, domain, rule);
  // The key of a rule without facts is an empty list.
  const { key = [] } = fields;
  if (typeof key !== "string" && !(Array.isArray(key) && key.every((part) => typeof part === "string"))) {
    throw malformed("key", "a text, or a list with a text for each fact", typeof key);
  }
  const handle = inForce.limits.byKey(domain, rule, key);
  return { domain, rule, handle, logged: loggedKey(words, key) };
}

/** An address as it is, else a hash. */
function loggedKey({ by }: RuleWords, key: string | readonly string[]): string {
  const text = typeof key === "string" ? key : key.length === 1 ? (key[0] ?? "") : JSON.stringify(key);
  const facts = typeof by === "string" ? [by] : (by ?? []);
  return facts.length === 1 && facts[0] === "ip" ? text : clientName(`${SECRET}${text}`);
}

function note(
  { inForce, log }: KeyRouteSettings,
  operator: Operator,
  what: string,
  { domain, rule, logged }: NamedKey,
  more: { readonly until?: string | undefined; readonly reason?: string | undefined } = {},
): void {
  const { version } = inForce;
  const fields = { request_id: operator.requestId, domain, rule, key: logged, ...more, version };
  audit(log, { who: operator.name, action: what, fields });
}

/** JSON has no infinity: null stands for it. */
function finite(number: number): number | null {
  return Number.isFinite(number) ? number : null;
}
