import type { Sample } from "./rounds.ts";

/** One number, over all rounds. */
export type Spread = { readonly median: number; readonly min: number; readonly max: number };

export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new Error("values: expected at least one");
  const sorted = values.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const median = sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)! };
}

/** A number among the results: the least of the rows', less the row `less` in the same round. */
export interface Figure {
  readonly table: string;
  readonly rows: readonly string[];
  readonly name: string;
  readonly less?: string;
}

/** A figure, or one figure divided by another. */
export type Ratio = { readonly of: Figure; readonly over?: Figure };

/** How ratios arise: from medians over all rounds, or in each round and then the median of those. */
export type Method = "of medians" | "by round";

/** `undefined` where a figure was not measured, or where no round has both. */
export function ratioOf(ratio: Ratio, samples: readonly Sample[], method: Method): Spread | undefined {
  return method === "of medians" ? ofMedians(ratio, samples) : byRound(ratio, samples);
}

function ofMedians({ of, over }: Ratio, samples: readonly Sample[]): Spread | undefined {
  const value = leastMedian(of, samples);
  const divisor = over === undefined ? 1 : leastMedian(over, samples);
  return value === undefined || divisor === undefined ? undefined : spreadOf([value / divisor]);
}

function byRound({ of, over }: Ratio, samples: readonly Sample[]): Spread | undefined {
  const divisors = over === undefined ? undefined : byRounds(over, samples);
  const ratios = [...byRounds(of, samples)].flatMap(([round, value]) => {
    const divisor = divisors === undefined ? 1 : divisors.get(round);
    return divisor === undefined ? [] : [value / divisor];
  });
  return ratios.length === 0 ? undefined : spreadOf(ratios);
}

function leastMedian(figure: Figure, samples: readonly Sample[]): number | undefined {
  const medians = figure.rows.flatMap((row) => {
    const values = [...byRounds({ ...figure, rows: [row] }, samples).values()];
    return values.length === 0 ? [] : [spreadOf(values).median];
  });
  return medians.length === 0 ? undefined : Math.min(...medians);
}

function byRounds({ less, ...figure }: Figure, samples: readonly Sample[]): Map<number, number> {
  const { table, rows, name } = figure;
  const values = new Map<number, number>();
  for (const sample of samples) {
    const value = sample.figures[name];
    if (value === undefined || sample.table !== table || !rows.includes(sample.row)) continue;
    values.set(sample.round, Math.min(value, values.get(sample.round) ?? Number.POSITIVE_INFINITY));
  }
  if (less === undefined) return values;
  const off = byRounds({ ...figure, rows: [less] }, samples);
  return new Map([...values].flatMap(([round, value]) => (off.has(round) ? [[round, value - off.get(round)!]] : [])));
}
