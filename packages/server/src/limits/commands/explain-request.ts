import { type CountingRule, createLimits, type RuleExplanation } from "tollgate/config";
import type { Output } from "./output.ts";
import { domainOf, readLimitsFile } from "./read-limits-file.ts";
import type { RequestFlags } from "./request-flags.ts";

/**
 * Prints one line for each rule: by which key and under which limits it counts the request, or why it does not.
 *
 * @throws UsageError for a domain that the file does not have.
 */
export function explainRequest(flags: RequestFlags, output: Output): 0 | 1 {
  const file = readLimitsFile(flags.file, output);
  if (file === undefined) return 1;
  const name = domainOf(file, flags.domain);
  const limits = createLimits(file);
  try {
    const rules = limits.explain(name, flags.facts);
    const width = Math.max(...rules.map(({ rule }) => rule.length));
    for (const rule of rules) output.print(`${name} ${rule.rule.padEnd(width)}  ${lineOf(rule)}`);
  } finally {
    limits.close();
  }
  return 0;
}

function lineOf(rule: RuleExplanation): string {
  if (rule.matches) return counting(rule);
  const got = rule.got === "" ? "nothing" : JSON.stringify(rule.got);
  return `does not match: ${rule.word}: expected ${rule.expected}, got ${got}`;
}

function counting({ by, key, chosenBy, chosen, limits, mode, cost }: CountingRule): string {
  const facts = by.length === 0 ? "all requests" : by.join(", ");
  const parts = [
    `key ${JSON.stringify(key)} (${facts})`,
    typeof limits === "string" ? limits : limits.map(({ name, capacity }) => `${name} at most ${capacity}`).join(", "),
    ...(chosenBy === "rule" ? [] : [`chosen by the ${chosenBy} ${JSON.stringify(chosen)}`]),
    ...(cost === 1 || typeof limits === "string" ? [] : [`cost ${JSON.stringify(cost)}`]),
    ...(mode === "shadow" ? ["shadow"] : []),
  ];
  return `matches: ${parts.join("; ")}`;
}
