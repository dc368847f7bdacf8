import type { IncomingMessage } from "node:http";
import type { Operator, OperatorActions, OperatorRoutes } from "../http/operator.ts";
import { asFields, asText, refuseIn } from "../http/readers.ts";
import { RequestError } from "../http/request-error.ts";
import { segmentsOf } from "../http/route-table.ts";
import { MOST_OVERRIDES, type OverrideMode, type RuleOverride } from "../limits/rule-overrides.ts";
import { type Answer, action } from "./action.ts";
import { auditChange } from "./audited-changes.ts";
import { durationMs, readBody } from "./fields.ts";
import { checkRule, unknownRule } from "./known-rule.ts";
import type { OperationSettings } from "./operation-settings.ts";
import { withWorkers } from "./workers-reached.ts";

const SHORTEST_MS = 1_000;
/** A change that is to last longer belongs into the file. */
const LONGEST_MS = 7 * 86_400_000;

/** Where the name of the rule stands: `/v1/rules/NAME/off`. */
const NAME_SEGMENT = 3;

const restoring = asFields({ domain: asText });
/** The duration is read when the rule is known. */
const override = asFields({ domain: asText, for: (value) => value });
const overrideMs = durationMs(SHORTEST_MS, LONGEST_MS);

/** Turns single rules off, into shadow mode, or on, for a time. */
export function ruleRoutes(settings: OperationSettings): OperatorRoutes {
  const actionsFor = (mode: OverrideMode): OperatorActions => ({
    POST: action("write", async (request, operator) => {
      const { domain, for: duration } = await readBody(request, override);
      return overrideRule(settings, operator, mode, domain, ruleIn(request), duration);
    }),
  });
  return {
    "/v1/rules/*/off": actionsFor("off"),
    "/v1/rules/*/shadow": actionsFor("shadow"),
    "/v1/rules/*/on": actionsFor("on"),
    "/v1/rules/*/restore": {
      POST: action("write", async (request, operator) => {
        const { domain } = await readBody(request, restoring);
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
  settings: OperationSettings,
  operator: Operator,
  mode: OverrideMode,
  domain: string,
  rule: string,
  duration: unknown,
): Promise<Answer> {
  const { inForce, clock, reached } = settings;
  checkRule(inForce, domain, rule);
  const forMs = overrideMs(duration, ["for"], refuseIn("body"));
  const made: RuleOverride = { domain, rule, mode, untilMs: clock.now() + forMs, by: operator.name };
  const outcome = await inForce.override(made);
  if (outcome === "too many") throw new RequestError(409, `expected at most ${MOST_OVERRIDES} overrides`);
  // Other limits came into force meanwhile.
  if (outcome === "unknown") throw unknownRule(domain, rule);
  const body = overrideJson(made);
  auditChange(settings, operator, `rule.${mode}`, { domain, rule, until: body["until"] });
  return withWorkers({ body }, await reached());
}

/** Ends the override of a rule. @throws RequestError */
export async function endOverride(
  settings: OperationSettings,
  operator: Operator,
  domain: string,
  rule: string,
): Promise<Answer> {
  const { inForce, reached } = settings;
  checkRule(inForce, domain, rule);
  const ended = await inForce.endOverride(domain, rule);
  if (ended !== undefined) auditChange(settings, operator, "rule.restore", { domain, rule, mode: ended.mode });
  return withWorkers({ body: { domain, rule, wasOverridden: ended !== undefined } }, await reached());
}

function ruleIn(request: IncomingMessage): string {
  return segmentsOf(request)[NAME_SEGMENT] ?? "";
}
