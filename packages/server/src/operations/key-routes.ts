import type { Limits, RuleWords } from "tollgate/config";
import { type Fields, spanIn } from "../http/json-fields.ts";
import type { Operator, OperatorActions, OperatorRoutes } from "../http/operator.ts";
import { malformed, RequestError } from "../http/request-error.ts";
import type { LimitsInForce } from "../limits/limits-in-force.ts";
import { audit } from "../log/audit.ts";
import { secretName } from "../log/client-name.ts";
import { type Answer, action } from "./action.ts";
import { fieldsOfBody, fieldsOfQuery, textIn } from "./fields.ts";
import type { KeyAction, KeyCall } from "./key-calls.ts";
import { checkRule, unknownDomain } from "./known-rule.ts";
import type { BlockedOf, OperationSettings } from "./operation-settings.ts";
import { withWorkers } from "./workers-reached.ts";

/** Lists those of this process. */
export function blockedIn(limits: Limits | Limits<"async">): BlockedOf {
  return (domain) => (limits.kind === "sync" ? limits.limiter(domain).blocked() : cannotListBlocked());
}

export function cannotListBlocked(): never {
  const text = "blocked keys are not listed in Redis: /v1/keys/explain tells whether a key is blocked";
  throw new RequestError(501, text);
}

/** A key of a rule. */
export interface NamedKey extends Omit<KeyCall, "action"> {
  /** What the log calls it: keys may be secrets. */
  readonly logged: string;
}

const KEY = ["domain", "rule", "key"];

/** Lists, explains, resets, blocks and unblocks the keys of single rules. */
export function keyRoutes(settings: OperationSettings): OperatorRoutes {
  const { inForce } = settings;
  const change = (
    name: string,
    names: readonly string[],
    actionOf: (fields: Fields) => KeyAction,
  ): OperatorActions => ({
    POST: action("write", async (request, operator) => {
      const fields = await fieldsOfBody(request, names);
      const key = keyIn(inForce, fields);
      return changeKey(settings, operator, name, key, actionOf(fields));
    }),
  });
  return {
    "/v1/keys/hot": {
      GET: action("read", (request, operator) => hot(settings, operator, fieldsOfQuery(request, ["domain"]))),
    },
    "/v1/keys/blocked": {
      GET: action("read", (request, operator) => blocked(settings, operator, fieldsOfQuery(request, ["domain"]))),
    },
    "/v1/keys/explain": {
      GET: action("read", (request) => explain(settings, fieldsOfQuery(request, KEY))),
      POST: action("read", async (request) => explain(settings, await fieldsOfBody(request, KEY))),
    },
    "/v1/keys/reset": change("key.reset", KEY, () => ({ verb: "reset" })),
    "/v1/keys/block": change("key.block", [...KEY, "for", "until", "reason"], blockIn),
    "/v1/keys/unblock": change("key.unblock", KEY, () => ({ verb: "unblock" })),
  };
}

async function hot({ inForce, hotOf }: OperationSettings, operator: Operator, fields: Fields): Promise<Answer> {
  const domain = textIn(fields, "domain");
  const shown = shownTo(operator, inForce, domain);
  const { active, denied } = await hotOf(domain);
  return { body: { active: active.map(shown), denied: denied.map(shown) } };
}

/** The most keys that are listed. */
const MOST_BLOCKED = 1_000;

function blocked({ inForce, blockedOf }: OperationSettings, operator: Operator, fields: Fields): Answer {
  const domain = textIn(fields, "domain");
  const shown = shownTo(operator, inForce, domain);
  const all = [...blockedOf(domain)].sort((one, other) => other.endsInMs - one.endsInMs);
  const keys = all
    .slice(0, MOST_BLOCKED)
    .map(({ limiter = "", ...key }) => shown({ rule: limiter.slice(domain.length + 1), ...key }));
  return { body: { total: all.length, keys } };
}

/** Shows a key of a domain with its rule. @throws RequestError 404 for a domain that is not known. */
function shownTo({ access }: Operator, { file }: LimitsInForce, domain: string) {
  const known = file.domains[domain];
  if (known === undefined) throw unknownDomain(domain);
  return <Key extends { readonly rule: string; readonly key: string }>({ rule, key: text, ...others }: Key) => {
    const key = keyOfText(text);
    const words = known.limits[rule];
    // Limits may have changed since the key was called.
    return { rule, key: access === "write" || words === undefined ? key : loggedKey(words, key), ...others };
  };
}

/** A key as stores have it, as these routes take it: a list for a rule by several facts. A long one was cut. */
export function keyOfText(text: string): string | readonly string[] {
  if (!text.startsWith("[")) return text;
  if (text.startsWith("[[")) return text.slice(1);
  try {
    return JSON.parse(text) as string[];
  } catch {
    return text;
  }
}

async function explain({ inForce, operateKey }: OperationSettings, fields: Fields): Promise<Answer> {
  const { domain, rule, key } = keyIn(inForce, fields);
  const { limits, blockedUntil } = await operateKey({ domain, rule, key, action: { verb: "explain" } });
  return { body: { blockedUntil: timeOf(blockedUntil), limits } };
}

export async function changeKey(
  settings: OperationSettings,
  operator: Operator,
  name: string,
  named: NamedKey,
  made: KeyAction,
): Promise<Answer> {
  const { domain, rule, key } = named;
  const { workers, wasBlocked, blockedUntil } = await settings.operateKey({ domain, rule, key, action: made });
  if (made.verb !== "block") {
    note(settings, operator, name, named);
    return withWorkers({ body: made.verb === "unblock" ? { wasBlocked } : {} }, workers);
  }
  const until = timeOf(blockedUntil);
  note(settings, operator, name, named, { until: until ?? undefined, reason: made.reason });
  return withWorkers({ body: { blockedUntil: until } }, workers);
}

function timeOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

export function blockIn(fields: Fields): KeyAction {
  const reason = fields["reason"] === undefined ? undefined : textIn(fields, "reason");
  return { verb: "block", span: spanIn(fields, "body"), reason };
}

export function keyIn(inForce: LimitsInForce, fields: Fields): NamedKey {
  const domain = textIn(fields, "domain");
  const rule = textIn(fields, "rule");
  const words = checkRule(inForce, domain, rule);
  // The key of a rule without facts is an empty list.
  const { key = [] } = fields;
  if (typeof key !== "string" && !(Array.isArray(key) && key.every((part) => typeof part === "string"))) {
    throw malformed("key", "a text, or a list with a text for each fact", typeof key);
  }
  return { domain, rule, key, logged: loggedKey(words, key) };
}

/** An address as it is, else a hash. */
export function loggedKey({ by }: RuleWords, key: string | readonly string[]): string {
  const text = typeof key === "string" ? key : key.length === 1 ? (key[0] ?? "") : JSON.stringify(key);
  const facts = typeof by === "string" ? [by] : (by ?? []);
  return facts.length === 1 && facts[0] === "ip" ? text : secretName(text);
}

function note(
  { inForce, log }: OperationSettings,
  operator: Operator,
  what: string,
  { domain, rule, logged }: NamedKey,
  more: { readonly until?: string | undefined; readonly reason?: string | undefined } = {},
): void {
  const { version } = inForce;
  const fields = { request_id: operator.requestId, domain, rule, key: logged, ...more, version };
  audit(log, { who: operator.name, action: what, fields });
}
