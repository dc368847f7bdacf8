import { randomUUID } from "node:crypto";
import type { Duration } from "tollgate";
import type { LimitsFile } from "tollgate/config";
import {
  DashboardError,
  type DashboardSource,
  describeLimiters,
  type MetricFamily,
  type SourceAct,
  type SourceKey,
  type SourceState,
} from "tollgate/dashboard";
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

/** What the dashboard shows of a service over limits files, in one process or in several. */
export function serviceSource(settings: ServiceSourceSettings): DashboardSource {
  const { operations, families, status, events, processes } = settings;
  const { inForce, clock } = operations;
  const domains = () => Object.keys(inForce.file.domains);
  return {
    clock,
    families,
    state: () => {
      const { version, source, since, limits } = inForce;
      const file = { state: status().state, version, source, sinceMs: since.getTime(), mistakes: events.mistakes };
      const described = describeLimiters(domains().map((domain) => limits.limiter(domain)));
      return { limits: limitsOf(operations, described.limits), stores: described.stores, processes: processes(), file };
    },
    hot: () => operations.hotOf(undefined),
    blocked: () => {
      try {
        return domains().flatMap((domain) => operations.blockedOf(domain).map((key) => ({ limiter: domain, ...key })));
      } catch (error) {
        if (error instanceof RequestError && error.status === 501) return null;
        throw error;
      }
    },
    explain: async ({ limiter, key }, cost) =>
      operations.operateKey({
        ...ruleNamed(inForce.file, limiter),
        key: keyOfText(key),
        action: { verb: "explain", cost },
      }),
    trail: (key) => operations.trailOf(key),
    act: async (act, { who, access }) => {
      const operator: Operator = { name: who, access, requestId: randomUUID() };
      const { body } = await answerOf(operations, operator, act);
      const { workers } = body as { readonly workers?: { readonly silent: readonly number[] } };
      const silent = workers?.silent ?? [];
      const missing = silent.length === 0 ? "" : `; workers that have not confirmed it yet: ${silent.join(", ")}`;
      return { text: `${act.action}: done${missing}` };
    },
    events: () => events.take(),
    mask: (key) => maskedKey(inForce.file, key),
  };
}

async function answerOf(operations: OperationSettings, operator: Operator, act: SourceAct): Promise<Answer> {
  const { inForce } = operations;
  const { action, key: text, for: span, reason } = act;
  const { domain, rule } = ruleNamed(inForce.file, act.limiter);
  if (action === "restore") return endOverride(operations, operator, domain, rule);
  if (action === "on" || action === "shadow" || action === "off")
    return overrideRule(operations, operator, action, domain, rule, span);
  const key = keyIn(inForce, { domain, rule, key: keyOfText(text ?? "") });
  const made = action === "block" ? blockIn({ for: span as Duration | undefined, reason }) : { verb: action };
  return changeKey(operations, operator, `key.${action}`, key, made);
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
    return loggedKey(ruleOf(file, domain, rule), keyOfText(key));
  } catch {
    // The rule is gone.
    return secretName(key);
  }
}

/** The limits of each rule, with its mode. A rule by plan or key has none before its first call. */
function limitsOf({ inForce }: OperationSettings, described: SourceState["limits"]): SourceState["limits"] {
  const byLimiter = new Map<string, SourceState["limits"]>();
  for (const limit of described) byLimiter.set(limit.limiter, [...(byLimiter.get(limit.limiter) ?? []), limit]);
  const overrides = new Map(inForce.overrides.map((one) => [`${one.domain}/${one.rule}`, one]));
  return Object.entries(inForce.effective.domains).flatMap(([domain, { limits }]) =>
    Object.entries(limits).flatMap(([rule, { mode = "enforce" }]) => {
      const limiter = `${domain}/${rule}`;
      const override = overrides.get(limiter);
      const of = byLimiter.get(limiter) ?? [{ limiter, limit: "", numbers: "no call yet" }];
      return of.map((limit) => ({ ...limit, mode, ...(override && { override }) }));
    }),
  );
}
