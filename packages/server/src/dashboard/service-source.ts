import { randomUUID } from "node:crypto";
import type { LimitsFile, RuleWords } from "tollgate/config";
import {
  DashboardError,
  type DashboardSource,
  type DescribedLimit,
  describeStores,
  type MetricFamily,
  type SourceAct,
  type SourceKey,
  type TrailPage,
} from "tollgate/dashboard";
import type { Fields } from "../http/json-fields.ts";
import type { Operator } from "../http/operator.ts";
import { RequestError } from "../http/request-error.ts";
import type { LimitsStatus } from "../limits/limits-files.ts";
import { ruleOf } from "../limits/rule-overrides.ts";
import { secretName } from "../log/client-name.ts";
import type { Answer } from "../operations/action.ts";
import { blockIn, changeKey, keyIn, keyOfText, loggedKey } from "../operations/key-routes.ts";
import type { OperationSettings } from "../operations/operation-settings.ts";
import { endOverride, overrideRule } from "../operations/rule-routes.ts";
import type { LogEvents } from "./log-events.ts";

export interface ServiceSourceSettings {
  readonly operations: OperationSettings;
  readonly families: () => Promise<readonly MetricFamily[]>;
  readonly status: () => LimitsStatus;
  readonly events: LogEvents;
  /** The processes that decide. */
  readonly processes: () => { readonly ready: number; readonly of: number };
}

const AMOUNTS = ["rate", "within", "quota"] as const;

/** What the dashboard shows of a service over limits files, in one process or in several. */
export function serviceSource(settings: ServiceSourceSettings): DashboardSource {
  const { operations, families, status, events, processes } = settings;
  const { inForce, clock } = operations;
  const domains = () => Object.keys(inForce.file.domains);
  return {
    clock,
    overridable: true,
    families,
    state: () => {
      const { version, source, since, limits } = inForce;
      const [first] = limits.domains;
      const file = { state: status().state, version, source, sinceMs: since.getTime(), mistakes: events.mistakes };
      const stores = first === undefined ? [] : describeStores(limits.limiter(first));
      return { limits: limitsOf(inForce.file, operations), stores, processes: processes(), file };
    },
    hot: async () => {
      const all = await Promise.all(
        domains().map(async (domain) => {
          const { active, denied } = await operations.hotOf(domain);
          const named = (keys: typeof active) =>
            keys.map(({ rule, key, count }) => ({ limiter: `${domain}/${rule}`, key, count }));
          return { active: named(active), denied: named(denied) };
        }),
      );
      const most = (name: "active" | "denied") => all.flatMap((one) => one[name]).sort((a, b) => b.count - a.count);
      return { active: most("active"), denied: most("denied") };
    },
    blocked: () => {
      try {
        return domains().flatMap((domain) => operations.blockedOf(domain).map((key) => ({ limiter: domain, ...key })));
      } catch (error) {
        if (error instanceof RequestError && error.status === 501) return null;
        throw error;
      }
    },
    explain: async (key, cost) => {
      const { domain, rule } = ruleNamed(inForce.file, key.limiter);
      const call = { domain, rule, key: keyOfText(key.key), action: { verb: "explain", cost } as const };
      const { limits = [], blockedUntil } = await operations.operateKey(call);
      return { limits, blockedUntilMs: blockedUntil === undefined ? null : Math.round(blockedUntil) };
    },
    trail: (key): Promise<TrailPage> => operations.trailOf(key),
    act: async (act, { who, access }) => {
      const operator: Operator = { name: who, access, requestId: randomUUID() };
      const { body } = await answerOf(operations, operator, act);
      const { workers } = body as { readonly workers?: { readonly silent: readonly number[] } };
      return { text: `${act.action}: done`, silent: workers?.silent ?? [] };
    },
    events: () => events.take(),
    mask: (key) => maskedKey(inForce.file, key),
  };
}

async function answerOf(operations: OperationSettings, operator: Operator, act: SourceAct): Promise<Answer> {
  const { inForce } = operations;
  const { domain, rule } = ruleNamed(inForce.file, act.limiter);
  if (act.action === "restore") return endOverride(operations, operator, domain, rule);
  if (!("key" in act)) return overrideRule(operations, operator, act.action, domain, rule, { for: act.for });
  const fields: Fields = { domain, rule, key: keyOfText(act.key) };
  const key = keyIn(inForce, fields);
  if (act.action !== "block") return changeKey(operations, operator, `key.${act.action}`, key, { verb: act.action });
  const { reason } = act;
  const span: Fields = { for: act.for, ...(reason !== undefined && { reason }) };
  return changeKey(operations, operator, "key.block", key, blockIn(span));
}

/** Names of domains may contain a slash. @throws DashboardError 404 */
function ruleNamed(file: LimitsFile, limiter: string): { readonly domain: string; readonly rule: string } {
  for (const domain of Object.keys(file.domains)) {
    const rule = limiter.slice(domain.length + 1);
    if (limiter === `${domain}/${rule}` && ruleOf(file, domain, rule) !== undefined) return { domain, rule };
  }
  throw new DashboardError(404, "limiter: expected a domain and a rule of the limits in force");
}

/** An address as it is, else a hash: as in the audit log. */
function maskedKey(file: LimitsFile, { limiter, key }: SourceKey): string {
  try {
    const { domain, rule } = ruleNamed(file, limiter);
    const words = ruleOf(file, domain, rule);
    return words === undefined ? secretName(key) : loggedKey(words, keyOfText(key));
  } catch {
    // The rule is gone.
    return secretName(key);
  }
}

/** The limits as the file has them, with the overrides that hold. */
function limitsOf(file: LimitsFile, { inForce }: OperationSettings): DescribedLimit[] {
  const overrides = new Map(inForce.overrides.map((one) => [`${one.domain}/${one.rule}`, one]));
  return Object.entries(file.domains).flatMap(([domain, { limits }]) =>
    Object.entries(limits).flatMap(([rule, words]) => {
      const limiter = `${domain}/${rule}`;
      const found = overrides.get(limiter);
      const override = found && { mode: found.mode, untilMs: found.untilMs, by: found.by };
      const mode =
        override === undefined ? (words.mode ?? "enforce") : override.mode === "on" ? "enforce" : override.mode;
      return numbersOf(rule, words).map(([limit, numbers]) => ({
        limiter,
        limit,
        numbers,
        mode,
        ...(override && { override }),
      }));
    }),
  );
}

/** The names of a rule's limits, and their numbers as the file has them. */
function numbersOf(rule: string, words: RuleWords): readonly (readonly [limit: string, numbers: string])[] {
  const rows = AMOUNTS.flatMap((word) => {
    const amounts = words[word] ?? {};
    const isPlain = typeof amounts === "string" || Array.isArray(amounts);
    const perUnit = Object.entries(isPlain ? { requests: amounts } : amounts) as [string, string | string[]][];
    return perUnit.flatMap(([unit, some]) =>
      [some].flat().map((amount, i): [string, string] => {
        const name = `${rule}.${word}${unit === "requests" ? "" : `.${unit}`}${i === 0 ? "" : `#${i + 1}`}`;
        return [name, `${word} ${amount}${unit === "requests" ? "" : ` ${unit}`}`];
      }),
    );
  });
  const { inflight, plans, keys } = words;
  if (inflight !== undefined) rows.push([`${rule}.inflight`, `${inflight.max} at a time`]);
  if (rows.length > 0) return rows;
  return [["", plans !== undefined || keys !== undefined ? "by plan or key" : (words.limit ?? "")]];
}
