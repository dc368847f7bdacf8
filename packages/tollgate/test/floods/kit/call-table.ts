import type { CallerFindings } from "./caller.ts";
import type { Figures } from "./flood-table.ts";

/** A row of figures about calls made without waiting. Those of several processes are added up, or the most counts. */
export function callFiguresOf(
  table: string,
  of: Readonly<Record<string, string | number>>,
  ...all: readonly CallerFindings[]
): Figures {
  const sum = (what: (findings: CallerFindings) => number) => all.reduce((total, one) => total + what(one), 0);
  const most = (what: (findings: CallerFindings) => number) => Math.round(Math.max(...all.map(what)));
  return {
    table,
    cells: {
      ...of,
      admitted: sum(({ admitted }) => admitted),
      degraded: sum(({ degraded }) => degraded),
      thrown: sum(({ thrown }) => thrown),
      opened: sum(({ opened }) => opened),
      "took ms": most(({ tookMs }) => tookMs),
      "calling ms": most(({ callingMs }) => callingMs),
      "longest turn ms": most(({ longestTurnMs }) => longestTurnMs),
      "grown MB": most(({ grownMb }) => grownMb),
      causes: all
        .flatMap(({ causes }) => Object.entries(causes))
        .map(([cause, count]) => `${cause}: ${count}`)
        .join("; "),
    },
  };
}
