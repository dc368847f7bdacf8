import type { IncomingMessage } from "node:http";
import type { Operator, OperatorActions, OperatorRoutes } from "../http/operator.ts";
import { RequestError } from "../http/request-error.ts";
import { segmentsOf } from "../http/route-table.ts";
import type { LimitsInForce } from "../limits/limits-in-force.ts";
import { MOST_OVERRIDES, type OverrideMode, type RuleOverride } from "../limits/rule-overrides.ts";
import { audit } from "../log/audit.ts";
import { type Answer, action } from "./action.ts";
import { durationIn, fieldsOfBody, textIn } from "./fields.ts";
import { checkRule, unknownRule } from "./known-rule.ts";
import type { OperationSettings } from "./operation-settings.ts";
import { withWorkers } from "./workers-reached.ts";

const SHORTEST_MS = 1_000;
/** A change that is to last longer belongs into the file. */
const LONGEST_MS = 7 * 86_400_000;

/** Where the name of the rule stands: `/v1/rules/NAME/off`. */
const NAME_SEGMENT = 3;

/** Turns single rules off, into shadow mode, or on, for a time. */
export function ruleRoutes(settings: OperationSettings): OperatorRoutes {
  const actionsFor = (mode: OverrideMode): OperatorActions => ({
    POST: action("write", (request, operator) => override(settings, mode, request, operator)),
  });
  return {
    "/v1/rules/*/off": actionsFor("off"),
    "/v1/rules/*/shadow": actionsFor("shadow"),
    "/v1/rules/*/on": actionsFor("on"),
    "/v1/rules/*/restore": { POST: action("write", (request, operator) => restore(settings, request, operator)) },
  };
}

/** An override as answers and `/rlconfig` show it. */
export function overrideJson({ domain, rule, mode, untilMs, by }: RuleOverride): Readonly<Record<string, string>> {
  return { domain, rule, mode, until: new Date(untilMs).toISOString(), by };
}

async function override(
  { inForce, clock, log, reached }: OperationSettings,
  mode: OverrideMode,
  request: IncomingMessage,
  operator: Operator,
): Promise<Answer> {
  const fields = await fieldsOfBody(request, ["domain", "for"]);
  const { domain, rule } = namedRule(inForce, request, textIn(fields, "domain"));
  const forMs = durationIn(fields, "for", SHORTEST_MS, LONGEST_MS);
  const made: RuleOverride = { domain, rule, mode, untilMs: clock.now() + forMs, by: operator.name };
  const outcome = await inForce.override(made);
  if (outcome === "too many") throw new RequestError(409, `expected at most ${MOST_OVERRIDES} overrides`);
  // Other limits came into force meanwhile.
  if (outcome === "unknown") throw unknownRule(domain, rule);
  const body = overrideJson(made);
  audit(log, {
    who: operator.name,
    action: `rule.${mode}`,
    fields: { request_id: operator.requestId, domain, rule, until: body["until"], version: inForce.version },
  });
  return withWorkers({ body }, await reached());
}

async function restore(
  { inForce, log, reached }: OperationSettings,
  request: IncomingMessage,
  operator: Operator,
): Promise<Answer> {
  const fields = await fieldsOfBody(request, ["domain"]);
  const { domain, rule } = namedRule(inForce, request, textIn(fields, "domain"));
  const ended = await inForce.endOverride(domain, rule);
  if (ended !== undefined) {
    audit(log, {
      who: operator.name,
      action: "rule.restore",
      fields: { request_id: operator.requestId, domain, rule, mode: ended.mode, version: inForce.version },
    });
  }
  return withWorkers({ body: { domain, rule, wasOverridden: ended !== undefined } }, await reached());
}

function namedRule(inForce: LimitsInForce, request: IncomingMessage, domain: string) {
  const rule = segmentsOf(request)[NAME_SEGMENT] ?? "";
  checkRule(inForce, domain, rule);
  return { domain, rule };
}
