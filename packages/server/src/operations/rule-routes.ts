import type { IncomingMessage } from "node:http";
import type { Fields } from "../http/json-fields.ts";
import type { Operator, OperatorActions, OperatorRoutes } from "../http/operator.ts";
import { RequestError } from "../http/request-error.ts";
import { segmentsOf } from "../http/route-table.ts";
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
    POST: action("write", async (request, operator) => {
      const { domain, ...fields } = await fieldsOfBody(request, ["domain", "for"]);
      return overrideRule(settings, operator, mode, textIn({ domain }, "domain"), ruleIn(request), fields);
    }),
  });
  return {
    "/v1/rules/*/off": actionsFor("off"),
    "/v1/rules/*/shadow": actionsFor("shadow"),
    "/v1/rules/*/on": actionsFor("on"),
    "/v1/rules/*/restore": {
      POST: action("write", async (request, operator) => {
        const domain = textIn(await fieldsOfBody(request, ["domain"]), "domain");
        return endOverride(settings, operator, domain, ruleIn(request));
      }),
    },
  };
}

/** An override as answers and `/rlconfig` show it. */
export function overrideJson({ domain, rule, mode, untilMs, by }: RuleOverride): Readonly<Record<string, string>> {
  return { domain, rule, mode, until: new Date(untilMs).toISOString(), by };
}

/** Overrides the mode of a rule for a time. @throws RequestError */
export async function overrideRule(
  { inForce, clock, log, reached }: OperationSettings,
  operator: Operator,
  mode: OverrideMode,
  domain: string,
  rule: string,
  fields: Fields,
): Promise<Answer> {
  checkRule(inForce, domain, rule);
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

/** Ends the override of a rule. @throws RequestError */
export async function endOverride(
  { inForce, log, reached }: OperationSettings,
  operator: Operator,
  domain: string,
  rule: string,
): Promise<Answer> {
  checkRule(inForce, domain, rule);
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

function ruleIn(request: IncomingMessage): string {
  return segmentsOf(request)[NAME_SEGMENT] ?? "";
}
