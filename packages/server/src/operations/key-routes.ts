import type { Limits, RuleWords } from "tollgate/config";
import type { KeyAction } from "tollgate/dashboard";
import type { Operator, OperatorActions, OperatorRoutes } from "../http/operator.ts";
import {
  asFields,
  asText,
  optional,
  orElse,
  type Reader,
  refuseIn,
  SPAN,
  type SpanFields,
  spanOf,
} from "../http/readers.ts";
import { RequestError } from "../http/request-error.ts";
import type { LimitsInForce } from "../limits/limits-in-force.ts";
import { ruleOf } from "../limits/rule-overrides.ts";
import { isAddress, secretName } from "../log/client-name.ts";
import { type Answer, action } from "./action.ts";
import { auditChange } from "./audited-changes.ts";
import { readBody, readQuery } from "./fields.ts";
import { checkRule, unknownDomain } from "./known-rule.ts";
import type { BlockedOf, KeyCall, OperationSettings } from "./operation-settings.ts";
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

/** What a request says of a key. */
type GivenKey = Omit<NamedKey, "logged">;

/** The key of a rule without facts is an empty list. */
const asKey: Reader<GivenKey["key"]> = orElse(
  (value, words, fail) =>
    typeof value === "string" || (Array.isArray(value) && value.every((part) => typeof part === "string"))
      ? value
      : fail(words, "a text, or a list with a text for each fact", typeof value),
  [],
);

const KEY = { domain: asText, rule: asText, key: asKey };
const keyOnly: Reader<GivenKey> = asFields(KEY);
const block = asFields({ ...KEY, ...SPAN, reason: optional(asText) });
const ofDomain = asFields({ domain: asText });

/** Lists, explains, resets, blocks and unblocks the keys of single rules. */
export function keyRoutes(settings: OperationSettings): OperatorRoutes {
  const change = <Given extends GivenKey>(
    name: string,
    read: Reader<Given>,
    actionOf: (given: Given) => KeyAction,
  ): OperatorActions => ({
    POST: action("write", async (request, operator) => {
      const given = await readBody(request, read);
      return changeKey(settings, operator, name, keyIn(settings.inForce, given), actionOf(given));
    }),
  });
  return {
    "/v1/keys/hot": {
      GET: action("read", (request, operator) => hot(settings, operator, readQuery(request, ofDomain).domain)),
    },
    "/v1/keys/blocked": {
      GET: action("read", (request, operator) => blocked(settings, operator, readQuery(request, ofDomain).domain)),
    },
    "/v1/keys/explain": {
      GET: action("read", (request) => explain(settings, readQuery(request, keyOnly))),
      POST: action("read", async (request) => explain(settings, await readBody(request, keyOnly))),
    },
    "/v1/keys/reset": change("key.reset", keyOnly, () => ({ verb: "reset" })),
    "/v1/keys/block": change("key.block", block, blockIn),
    "/v1/keys/unblock": change("key.unblock", keyOnly, () => ({ verb: "unblock" })),
  };
}

async function hot({ inForce, hotOf }: OperationSettings, operator: Operator, domain: string): Promise<Answer> {
  const shown = shownTo(operator, inForce, domain);
  const { active, denied } = await hotOf(domain);
  return { body: { active: active.map(shown), denied: denied.map(shown) } };
}

/** The most keys that are listed. */
const MOST_BLOCKED = 1_000;

function blocked({ inForce, blockedOf }: OperationSettings, operator: Operator, domain: string): Answer {
  const shown = shownTo(operator, inForce, domain);
  const all = [...blockedOf(domain)].sort((one, other) => other.endsInMs - one.endsInMs);
  return { body: { total: all.length, keys: all.slice(0, MOST_BLOCKED).map(shown) } };
}

interface ListedKey {
  readonly limiter?: string;
  readonly key: string;
}

/** Shows a key of a domain with its rule. @throws RequestError 404 for a domain that is not known. */
function shownTo({ access }: Operator, { file }: LimitsInForce, domain: string) {
  if (!Object.hasOwn(file.domains, domain)) throw unknownDomain(domain);
  return <Key extends ListedKey>({ limiter = "", key: text, ...others }: Key) => {
    const rule = limiter.slice(domain.length + 1);
    const key = keyOfText(text);
    return { rule, key: access === "write" ? key : loggedKey(ruleOf(file, domain, rule), key), ...others };
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

async function explain({ inForce, operateKey }: OperationSettings, { domain, rule, key }: GivenKey): Promise<Answer> {
  checkRule(inForce, domain, rule);
  const { limits, blockedUntilMs } = await operateKey({ domain, rule, key, action: { verb: "explain" } });
  return { body: { blockedUntil: timeOf(blockedUntilMs), limits } };
}

export async function changeKey(
  settings: OperationSettings,
  operator: Operator,
  name: string,
  named: NamedKey,
  made: KeyAction,
): Promise<Answer> {
  const { domain, rule, key, logged } = named;
  const { workers, wasBlocked, blockedUntilMs } = await settings.operateKey({ domain, rule, key, action: made });
  const until = timeOf(blockedUntilMs);
  const blocks = made.verb === "block";
  const blockFields = blocks ? { until: until ?? undefined, reason: made.reason } : {};
  auditChange(settings, operator, name, { domain, rule, key: logged, ...blockFields });
  const body = blocks ? { blockedUntil: until } : made.verb === "unblock" ? { wasBlocked } : {};
  return withWorkers({ body }, workers);
}

function timeOf(ms: number | null = null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

export function blockIn({ reason, ...span }: SpanFields & { readonly reason?: string | undefined }): KeyAction {
  return { verb: "block", span: spanOf(span, [], refuseIn("body")), reason };
}

export function keyIn(inForce: LimitsInForce, { domain, rule, key }: GivenKey): NamedKey {
  return { domain, rule, key, logged: loggedKey(checkRule(inForce, domain, rule), key) };
}

/** An address as it is, else a hash. Limits may have changed since the key was called: it may be of another rule. */
export function loggedKey(words: RuleWords | undefined, key: string | readonly string[]): string {
  const by = words?.by;
  const text = typeof key === "string" ? key : key.length === 1 ? (key[0] ?? "") : JSON.stringify(key);
  const facts = typeof by === "string" ? [by] : (by ?? []);
  return facts.length === 1 && facts[0] === "ip" && isAddress(text) ? text : secretName(text);
}
