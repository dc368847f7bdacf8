import type { JudgedSuggestion } from "./fitting.ts";
import { printable } from "./printable.ts";
import type { ReplayResult } from "./replay.ts";
import { percent as share } from "./report/markup.ts";
import { asCode, asYaml } from "./suggestion-code.ts";

/** A result as lines for a terminal. */
export function linesOf(result: ReplayResult): string[] {
  return [...summary(result), ...deniedLines(result), ...suggestionLines(result)];
}

export function summary({
  requests,
  clients,
  furtherClients,
  unreadable,
  late,
  firstUs,
  lastUs,
}: ReplayResult): string[] {
  const lines = [
    `${counted(requests, "request")} of ${counted(clients, "client")}, ${timeOf(firstUs)} to ${timeOf(lastUs)}`,
  ];
  if (furtherClients > 0) lines.push(`about ${furtherClients} further clients are counted together (--max-clients)`);
  if (unreadable > 0) lines.push(`${counted(unreadable, "line")} could not be read`);
  if (late > 0) lines.push(`${counted(late, "line")} came more than 5 s late, and count when they came`);
  return lines;
}

function deniedLines({ judgement, requests, clients, nameOf }: ReplayResult): string[] {
  if (judgement === undefined) return [];
  const { denied, rules, worst } = judgement;
  const lines = [
    "",
    `denied: ${counted(denied.requests, "request")} (${percent(denied.requests, requests)}) ` +
      `of ${counted(denied.clients, "client")} (${percent(denied.clients, clients)})`,
  ];
  for (const [rule, count] of [...rules].sort(([, one], [, other]) => other - one)) lines.push(`  ${rule}: ${count}`);
  if (worst.length > 0) lines.push("clients with most denials:");
  for (const client of worst)
    lines.push(`  ${printable(nameOf(client.client))}: ${client.denied} of ${client.requests}`);
  return lines;
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
    "Stamps in whole seconds hide the order within a second: a capacity may be off by what refills in one second.",
  ];
}

export function describe({ name, capacity, refill, per, clients, checked }: JudgedSuggestion): string {
  const later =
    checked === undefined ? "" : `; ${share(checked)} in the last fifth of the time, which it was not fitted to`;
  return `${name}: ${capacity} at once, ${refill} per ${per.slice(1)} (denies ${share(clients)} of the clients${later})`;
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

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function percent(part: number, whole: number): string {
  return share(whole === 0 ? 0 : part / whole);
}
