import type { Ratio } from "../report/figure.ts";
import {
  allowOverFastestRival,
  allowOverFlexible,
  BATCH_OVER_FASTEST_RIVAL,
  HANDLE_AT_A_MILLION,
  tableOverShared,
  twoLimitsOverOne,
} from "../report/ratios.ts";
import type { TableId } from "../workloads/job.ts";

/** The ratios that must not fall, by the names that `recorded.json` has for them. More is better in each. */
export const GUARDED: Readonly<Record<string, Ratio>> = {
  ...allow("hot"),
  ...allow("thousand"),
  ...allow("million"),
  "denied-hot, over rate-limiter-flexible": allowOverFlexible("denied-hot", "per call"),
  "denied-thousand, over rate-limiter-flexible": allowOverFlexible("denied-thousand", "per call"),
  "thousand, two limits, memory, one over two": twoLimitsOverOne("thousand", "memory"),
  "thousand, two limits, table, one over two": twoLimitsOverOne("thousand", "table"),
  "million, handle, over the fastest rival": {
    ours: HANDLE_AT_A_MILLION,
    theirs: { of: "fastest rival", table: "million" },
  },
  "million, batch, over the fastest rival": BATCH_OVER_FASTEST_RIVAL,
  "hot, handle, table over shared, coarse": tableOverShared("hot", "handles"),
  "thousand, table over shared, coarse": tableOverShared("thousand", "keys"),
  "bytes a key, memory, over rate-limiter-flexible": bytes("memory"),
  "bytes a key, table, over rate-limiter-flexible": bytes("table"),
};

function allow(table: TableId): Record<string, Ratio> {
  return {
    [`${table}, over the fastest rival`]: allowOverFastestRival(table, "per call"),
    [`${table}, over the fastest rival, coarse`]: allowOverFastestRival(table, "coarse"),
    [`${table}, over rate-limiter-flexible`]: allowOverFlexible(table, "per call"),
    [`${table}, over rate-limiter-flexible, coarse`]: allowOverFlexible(table, "coarse"),
  };
}

function bytes(entry: string): Ratio {
  return {
    ours: { of: "bytesPerKey", entry },
    theirs: { of: "bytesPerKey", entry: "rate-limiter-flexible" },
  };
}
