import type { Spread } from "../../report/spread.ts";
import type { Sample, Weight } from "../measure/sample.ts";
import { ratioOf } from "./ratios.ts";

/** What the store means to reach: a ratio of two variants, the median of the rounds, or the bytes of a key. */
export type Target =
  | {
      readonly kind: "ratio";
      readonly text: string;
      readonly ours: string;
      readonly theirs: string;
      readonly measure: "decisions" | "p99";
      readonly aim: { readonly atLeast: number } | { readonly atMost: number } | { readonly below: number };
    }
  | { readonly kind: "bytes"; readonly text: string; readonly of: string; readonly atMost: number };

/** A target beside what was measured. */
export interface Judged {
  readonly text: string;
  readonly aim: string;
  readonly measured: string;
  readonly range: string;
  /** The same by processor time, for decisions a second. */
  readonly processor: string;
  readonly verdict: "reached" | "missed" | "not measured";
}

/** With so many calls in flight. */
const IN_FLIGHT = 512;

export const TARGETS: readonly Target[] = [
  {
    kind: "ratio",
    text: "decisions a second over INCR, distinct keys",
    ours: "batched",
    theirs: "incr",
    measure: "decisions",
    aim: { atLeast: 1 },
  },
  {
    kind: "ratio",
    text: "decisions a second over rate-limiter-flexible, distinct keys",
    ours: "batched",
    theirs: "flexible",
    measure: "decisions",
    aim: { atLeast: 2.5 },
  },
  {
    kind: "ratio",
    text: "decisions a second over rate-limiter-flexible, auto-pipelined, distinct keys",
    ours: "batched",
    theirs: "flexible-pipelined",
    measure: "decisions",
    aim: { atLeast: 2.5 },
  },
  {
    kind: "ratio",
    text: "decisions a second over INCR, one hot key",
    ours: "batched-hot",
    theirs: "incr-hot",
    measure: "decisions",
    aim: { atLeast: 5 },
  },
  {
    kind: "ratio",
    text: "decisions a second, three limits over one, distinct keys",
    ours: "three-limits",
    theirs: "batched",
    measure: "decisions",
    aim: { atLeast: 0.6 },
  },
  {
    kind: "ratio",
    text: "p99 over that of rate-limiter-flexible, auto-pipelined, distinct keys",
    ours: "batched",
    theirs: "flexible-pipelined",
    measure: "p99",
    aim: { atMost: 0.5 },
  },
  {
    kind: "ratio",
    text: "p99 over that of rate-limiter-flexible, distinct keys",
    ours: "batched",
    theirs: "flexible",
    measure: "p99",
    aim: { below: 1 },
  },
  { kind: "bytes", text: "bytes of one token bucket, user key of 16 characters", of: "batched", atMost: 128 },
];

export function judge(target: Target, samples: readonly Sample[], weights: readonly Weight[]): Judged {
  switch (target.kind) {
    case "ratio":
      return judgeRatio(target, samples);
    case "bytes": {
      const { text, of, atMost } = target;
      const bytes = weights.find(({ variant }) => variant === of)?.bytes;
      const judged = { ...NOT_MEASURED, text, aim: `≤ ${atMost}` };
      if (bytes === undefined) return judged;
      return { ...judged, measured: String(bytes), verdict: bytes <= atMost ? "reached" : "missed" };
    }
    default:
      return target satisfies never;
  }
}

type RatioTarget = Extract<Target, { kind: "ratio" }>;
type Aim = RatioTarget["aim"];

const NOT_MEASURED = { measured: "", range: "", processor: "", verdict: "not measured" } as const;

function judgeRatio({ text, ours, theirs, measure, aim }: RatioTarget, samples: readonly Sample[]): Judged {
  const compared = { ours, theirs, inFlight: IN_FLIGHT };
  const ratio = ratioOf(samples, { ...compared, measure });
  const judged = { ...NOT_MEASURED, text, aim: wordsOf(aim) };
  if (ratio === undefined) return judged;
  const byProcessor =
    measure === "decisions" ? ratioOf(samples, { ...compared, measure: "decisions by processor time" }) : undefined;
  return {
    ...judged,
    measured: ratio.median.toFixed(2),
    range: `${ratio.min.toFixed(2)} to ${ratio.max.toFixed(2)}`,
    processor: byProcessor?.median.toFixed(2) ?? "",
    verdict: verdictOn(ratio, aim),
  };
}

function wordsOf(aim: Aim): string {
  if ("atLeast" in aim) return `≥ ${aim.atLeast.toFixed(2)}`;
  return "atMost" in aim ? `≤ ${aim.atMost.toFixed(2)}` : `< ${aim.below.toFixed(2)}`;
}

function verdictOn({ median }: Spread, aim: Aim): Judged["verdict"] {
  if ("atLeast" in aim) return median >= aim.atLeast ? "reached" : "missed";
  return ("atMost" in aim ? median <= aim.atMost : median < aim.below) ? "reached" : "missed";
}
