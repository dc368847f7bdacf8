import { type Spread, spreadOf } from "../../report/spread.ts";
import type { Sample } from "../measure/sample.ts";

/**
 * What is compared of two variants of one round, with as many calls in flight: decisions a second, how many there could be by what
 * the busier of the two processes takes of a processor for each, or the latency that 1 in 100 exceeds.
 */
export type Measure = "decisions" | "decisions by processor time" | "p99";

export interface Comparison {
  readonly ours: string;
  readonly theirs: string;
  readonly inFlight: number;
  readonly measure: Measure;
}

/** One variant's figure over another's, round by round. `undefined` where no round has both. */
export function ratioOf(
  samples: readonly Sample[],
  { ours, theirs, inFlight, measure }: Comparison,
): Spread | undefined {
  const of = (id: string) => samples.filter((sample) => sample.variant === id && sample.inFlight === inFlight);
  const theirsByRound = new Map(of(theirs).map((sample) => [sample.round, figureOf(sample, measure)]));
  const ratios = of(ours).flatMap((sample) => {
    const other = theirsByRound.get(sample.round);
    return other === undefined ? [] : [figureOf(sample, measure) / other];
  });
  return ratios.length === 0 ? undefined : spreadOf(ratios);
}

function figureOf({ decisionsPerSecond, clientUs, serverUs, p99Ms }: Sample, measure: Measure): number {
  switch (measure) {
    case "decisions":
      return decisionsPerSecond;
    case "decisions by processor time":
      return 1_000_000 / Math.max(clientUs, serverUs);
    case "p99":
      return p99Ms;
    default:
      return measure satisfies never;
  }
}
