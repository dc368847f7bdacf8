import type { Report } from "../../../../../src/store/index.ts";
import type { TransactionOutcome } from "../../../../../src/stores/redis/script/decode-reply.ts";

const FIGURES = ["conforms", "used", "waitUs", "usedAfterWait", "resetUs"] as const;

/**
 * Every difference between the reply and the expected outcomes, in words. An empty list if they are equal to the bit.
 */
export function outcomeDifferences(
  got: readonly TransactionOutcome[] | undefined,
  expected: readonly TransactionOutcome[],
): string[] {
  const differences: string[] = [];
  for (const [i, outcome] of expected.entries()) {
    const answered = got?.[i];
    if (answered?.admitted !== outcome.admitted) {
      differences.push(`transaction ${i}: got ${answered?.admitted} admitted, expected ${outcome.admitted}`);
    }
    if (answered?.reports.length !== outcome.reports.length) {
      differences.push(`transaction ${i}: got ${answered?.reports.length} reports, expected ${outcome.reports.length}`);
      continue;
    }
    for (const [call, report] of outcome.reports.entries()) {
      differences.push(...reportDifferences(`transaction ${i}, call ${call}`, answered.reports[call], report));
    }
  }
  return differences;
}

function reportDifferences(what: string, got: Report | undefined, expected: Report): string[] {
  const differences: string[] = [];
  const note = (figure: string, one: unknown, other: unknown) => {
    if (!Object.is(one, other)) differences.push(`${what}: ${figure}: got ${String(one)}, expected ${String(other)}`);
  };
  note("admitted", got?.admitted, expected.admitted);
  for (const figure of FIGURES) {
    note(`number of ${figure}`, got?.[figure].length, expected[figure].length);
    for (const [limit, value] of expected[figure].entries()) note(`${figure} ${limit}`, got?.[figure][limit], value);
  }
  return differences;
}
