import type { RuleWords } from "tollgate/config";
import { RequestError } from "../http/request-error.ts";
import type { LimitsInForce } from "../limits/limits-in-force.ts";
import { ruleOf } from "../limits/rule-overrides.ts";

/** A rule of the limits in force. @throws RequestError 404 for others. */
export function checkRule({ file }: LimitsInForce, domain: string, rule: string): RuleWords {
  const words = ruleOf(file, domain, rule);
  if (words !== undefined) return words;
  throw unknownRule(domain, rule);
}

export function unknownRule(domain: string, rule: string): RequestError {
  const got = `${show(domain)}, ${show(rule)}`;
  return new RequestError(404, `expected a domain and a rule of the limits in force, got ${got}`);
}

export function unknownDomain(domain: string): RequestError {
  return new RequestError(404, `expected a domain of the limits in force, got ${show(domain)}`);
}

function show(name: string): string {
  return JSON.stringify(name.slice(0, MOST_SHOWN));
}

const MOST_SHOWN = 60;
