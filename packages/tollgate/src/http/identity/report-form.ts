import { forOf, startOfLastItem } from "./forwarded.ts";
import { trimmed } from "./white-space.ts";

/** How a header tells the addresses that hops report, the nearest hop's report last. */
export interface ReportForm {
  /** The index at which the last entry before `end` begins. */
  readonly startOfLast: (value: string, end: number) => number;
  /** The node that an entry names, if any. */
  readonly nodeOf: (entry: string) => string | undefined;
}

const X_FORWARDED_FOR: ReportForm = {
  startOfLast: (value, end) => value.lastIndexOf(",", end - 1) + 1,
  nodeOf: trimmed,
};

const FORWARDED: ReportForm = {
  startOfLast: (value, end) => startOfLastItem(value, end, ","),
  nodeOf: forOf,
};

const ONE_ADDRESS: ReportForm = { startOfLast: () => 0, nodeOf: trimmed };

/** The form of a header by its name in lower case. */
export function reportForm(header: string): ReportForm {
  switch (header) {
    case "x-forwarded-for":
      return X_FORWARDED_FOR;
    case "forwarded":
      return FORWARDED;
    default:
      return ONE_ADDRESS;
  }
}
