import type { TableId } from "../workloads/job.ts";
import { type Figure, figureOf, type Ratio, ratioOf } from "./figure.ts";
import {
  allowOverFastestRival,
  allowOverFlexible,
  BATCH_OVER_FASTEST_RIVAL,
  HANDLE_AT_A_MILLION,
  twoLimitsOverOne,
} from "./ratios.ts";
import type { Results } from "./results.ts";

/** What the library means to reach. */
export type Target =
  | { readonly text: string; readonly kind: "times faster"; readonly ratio: Ratio; readonly atLeast: number }
  | { readonly text: string; readonly kind: "times the time"; readonly ratio: Ratio; readonly atMost: number }
  | {
      readonly text: string;
      readonly kind: "at most";
      readonly figure: Figure;
      readonly unit: "ns" | "bytes" | "ms";
      readonly atMost: number;
    };

/** A target beside what was measured. */
export interface Judged {
  readonly text: string;
  readonly aim: string;
  readonly measured: string;
  readonly verdict: "reached" | "missed" | "not measured";
}

const KEYS: Partial<Record<TableId, string>> = { hot: "1 hot key", thousand: "1,000 keys", million: "1,000,000 keys" };

export const TARGETS: readonly Target[] = [
  ...overFastestRival("hot", 1.3, 2.5),
  ...overFastestRival("thousand", 1.5, 2.5),
  ...overFastestRival("million", 5, 5.5),
  ...overFlexible("hot", 5, 8),
  ...overFlexible("thousand", 5, 8),
  ...overFlexible("million", 7, 8),
  ...twoLimits("hot"),
  ...twoLimits("thousand"),
  {
    text: "through a handle, 1,000,000 keys in turn, coarse clock",
    kind: "at most",
    figure: HANDLE_AT_A_MILLION,
    unit: "ns",
    atMost: 25,
  },
  {
    text: "a batch of 64 over the fastest rival, 1,000,000 keys, table",
    kind: "times faster",
    ratio: BATCH_OVER_FASTEST_RIVAL,
    atLeast: 10,
  },
  denial("denied-hot", "1 hot key"),
  denial("denied-thousand", "1,000 keys"),
  weight("bytes a key at 1,000,000 keys, memory", "bytesPerKey", "memory", "bytes", 110),
  weight("bytes a key at 1,000,000 keys, table", "bytesPerKey", "table", "bytes", 50),
  weight("worst stall while 1,000,000 keys come in, table", "worstStallMs", "table", "ms", 4),
];

export function judge(target: Target, results: Results): Judged {
  const { text } = target;
  switch (target.kind) {
    case "times faster": {
      const times = ratioOf(target.ratio, results);
      return { text, aim: `≥ ${target.atLeast} × faster`, ...measured(times, "×", (value) => value >= target.atLeast) };
    }
    case "times the time": {
      const faster = ratioOf(target.ratio, results);
      const times = faster === undefined ? undefined : 1 / faster;
      return { text, aim: `≤ ${target.atMost} × the time`, ...measured(times, "×", (value) => value <= target.atMost) };
    }
    case "at most": {
      const { figure, unit, atMost } = target;
      return {
        text,
        aim: `≤ ${atMost} ${unit}`,
        ...measured(figureOf(figure, results), unit, (value) => value <= atMost),
      };
    }
    default:
      return target satisfies never;
  }
}

function measured(
  value: number | undefined,
  unit: string,
  reaches: (value: number) => boolean,
): Pick<Judged, "measured" | "verdict"> {
  if (value === undefined) return { measured: "", verdict: "not measured" };
  return {
    measured: `${value.toFixed(unit === "×" ? 2 : 1)} ${unit}`,
    verdict: reaches(value) ? "reached" : "missed",
  };
}

function overFastestRival(table: TableId, perCall: number, coarse: number): Target[] {
  const text = `\`allow\` over the fastest rival, ${KEYS[table]}`;
  return [
    { text, kind: "times faster", ratio: allowOverFastestRival(table, "per call"), atLeast: perCall },
    {
      text: `${text}, coarse clock`,
      kind: "times faster",
      ratio: allowOverFastestRival(table, "coarse"),
      atLeast: coarse,
    },
  ];
}

function overFlexible(table: TableId, perCall: number, coarse: number): Target[] {
  const text = `\`allow\` over rate-limiter-flexible, ${KEYS[table]}`;
  return [
    { text, kind: "times faster", ratio: allowOverFlexible(table, "per call"), atLeast: perCall },
    { text: `${text}, coarse clock`, kind: "times faster", ratio: allowOverFlexible(table, "coarse"), atLeast: coarse },
  ];
}

function twoLimits(table: TableId): Target[] {
  return (["memory", "table"] as const).map((store) => ({
    text: `two limits over one, the same key, ${KEYS[table]}, ${store}`,
    kind: "times the time",
    ratio: twoLimitsOverOne(table, store),
    atMost: 1.3,
  }));
}

function denial(table: TableId, keys: string): Target {
  return {
    text: `a denial over rate-limiter-flexible's, ${keys}`,
    kind: "times faster",
    ratio: allowOverFlexible(table, "per call"),
    atLeast: 15,
  };
}

function weight(
  text: string,
  of: "bytesPerKey" | "worstStallMs",
  entry: string,
  unit: "bytes" | "ms",
  atMost: number,
): Target {
  return { text, kind: "at most", figure: { of, entry }, unit, atMost };
}
