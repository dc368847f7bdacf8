import { forOf, startOfLastItem } from "./forwarded.ts";

/** How a header tells the addresses that hops report, the nearest hop's report last. */
export interface ReportForm {
  /** The index at which the last entry before `end` begins. */
  readonly startOfLast: (value: string, end: number) => number;
  /** The node that an entry, which has no white space around it, names, if any. */
  readonly nodeOf: (entry: string) => string | undefined;
}

const X_FORWARDED_FOR: ReportForm = {
  // From -1 on it would look at the first character all the same.
  startOfLast: (value, end) => (end === 0 ? 0 : value.lastIndexOf(",", end - 1) + 1),
  nodeOf: (entry) => entry,
};

const FORWARDED: ReportForm = {
  startOfLast: (value, end) => startOfLastItem(value, end, ","),
  nodeOf: forOf,
};

const ONE_ADDRESS: ReportForm = { startOfLast: () => 0, nodeOf: (entry) => entry };

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
