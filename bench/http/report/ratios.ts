import { type Spread, spreadOf } from "../../report/spread.ts";
import type { Sample } from "../measure/sample.ts";

/** What is compared of two variants of one round; in both, more is better. */
export type Measure = "requests" | "processor";

/**
 * One variant beside another, round by round: above 1 where it does more requests a second, or takes less of the processor
 * for each. `undefined` where no round has both.
 */
export function ratioOf(
  samples: readonly Sample[],
  ours: string,
  theirs: string,
  measure: Measure,
): Spread | undefined {
  const theirsByRound = new Map(
    samples.filter(({ variant }) => variant === theirs).map((sample) => [sample.round, sample]),
  );
  const ratios = samples
    .filter(({ variant }) => variant === ours)
    .flatMap((sample) => {
      const other = theirsByRound.get(sample.round);
      return other === undefined ? [] : [figureOf(sample, measure) / figureOf(other, measure)];
    });
  return ratios.length === 0 ? undefined : spreadOf(ratios);
}

function figureOf({ requestsPerSecond, cpuUsPerRequest }: Sample, measure: Measure): number {
  return measure === "requests" ? requestsPerSecond : 1 / cpuUsPerRequest;
}
