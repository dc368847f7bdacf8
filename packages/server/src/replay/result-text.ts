import { counted } from "../limits/commands/output.ts";
import type { JudgedSuggestion } from "./fitting.ts";
import type { Judgement } from "./judging.ts";
import { printable } from "./printable.ts";
import type { ReplayResult } from "./replay.ts";
import { percent } from "./report/markup.ts";
import { asCode, asYaml } from "./suggestion-code.ts";

/** What suggestions do not know. */
export const WHOLE_SECONDS =
  "Stamps in whole seconds hide the order within a second: a capacity may be off by what refills in one second.";

/** A result as lines for a terminal. */
export function linesOf(result: ReplayResult): string[] {
  return [...summary(result), ...deniedLines(result), ...suggestionLines(result)];
}

export function summary(result: ReplayResult): string[] {
  const { requests, clients, furtherClients, unreadable, late, firstUs, lastUs } = result;
  const lines = [
    `${counted(requests, "request")} of ${counted(clients, "client")}, ${timeOf(firstUs)} to ${timeOf(lastUs)}`,
  ];
  if (furtherClients > 0) lines.push(`about ${furtherClients} further clients are counted together (--max-clients)`);
  if (unreadable > 0) lines.push(`${counted(unreadable, "line")} could not be read`);
  if (late > 0) lines.push(`${counted(late, "line")} came more than 5 s late, and count when they came`);
  return lines;
}

function deniedLines(result: ReplayResult): string[] {
  const { judgement, nameOf } = result;
  if (judgement === undefined) return [];
  const { rules, worst } = judgement;
  const lines = ["", `denied: ${deniedOf(judgement, result)}`];
  for (const [rule, count] of [...rules].sort(([, one], [, other]) => other - one)) lines.push(`  ${rule}: ${count}`);
  if (worst.length > 0) lines.push("clients with most denials:");
  for (const client of worst)
    lines.push(`  ${printable(nameOf(client.client))}: ${client.denied} of ${client.requests}`);
  return lines;
}

/** How many requests of how many clients were denied. */
export function deniedOf({ denied }: Judgement, { requests, clients }: ReplayResult): string {
  const counts = [
    `${counted(denied.requests, "request")} (${percent(denied.requests / requests)})`,
    `${counted(denied.clients, "client")} (${percent(denied.clients / clients)})`,
  ];
  return counts.join(" of ");
}

function suggestionLines({ fit }: ReplayResult): string[] {
  if (fit === undefined || fit.suggestions.length === 0) return [];
  return [
    "",
    "A bucket for each client that would have denied few of them anything:",
    ...fit.suggestions.flatMap((suggestion) => [
      describe(suggestion),
      `  ${asCode(suggestion)}`,
      `  ${asYaml(suggestion)}`,
    ]),
    WHOLE_SECONDS,
  ];
}

export function describe({ name, capacity, refill, per, clients, checked }: JudgedSuggestion): string {
  const later =
    checked === undefined ? "" : `; ${percent(checked)} in the last fifth of the time, which it was not fitted to`;
  return `${name}: ${capacity} at once, ${refill} per ${per.slice(1)} (denies ${percent(clients)} of the clients${later})`;
}

/** The result as one line of JSON. */
export function jsonOf({ firstUs, lastUs, nameOf, judgement, fit, ...counts }: ReplayResult): string {
  return JSON.stringify({
    ...counts,
    from: timeOf(firstUs),
    to: timeOf(lastUs),
    ...(judgement && {
      denied: judgement.denied,
      rules: Object.fromEntries(judgement.rules),
      worst: judgement.worst.map((client) => ({ ...client, client: nameOf(client.client) })),
      headroom: judgement.headroom,
    }),
    suggestions: (fit?.suggestions ?? []).map(({ rate, ...suggestion }) => ({
      ...suggestion,
      code: asCode({ rate, ...suggestion }),
      yaml: asYaml({ rate, ...suggestion }),
    })),
  });
}

export function timeOf(us: number): string {
  return Number.isNaN(us) ? "-" : new Date(us / 1_000).toISOString();
}
