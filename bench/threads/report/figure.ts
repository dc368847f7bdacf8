import type { ThreadCount } from "../row.ts";
import type { ThreadResults } from "./results.ts";

/** Decisions a second of a row with so many threads: more is better. */
export interface ThreadFigure {
  readonly row: string;
  readonly threads: ThreadCount;
}

/** The figure's median, if it was measured. */
export function threadFigureOf({ row, threads }: ThreadFigure, { tables }: ThreadResults): number | undefined {
  const found = tables.flatMap(({ rows }) => rows).find((one) => one.row === row);
  return found?.speeds.find((one) => one.threads === threads)?.perSecond.median;
}
