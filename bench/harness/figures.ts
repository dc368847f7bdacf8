/** The figures of one row of one table, in one round. */
export type Figures = Readonly<Record<string, number>>;

export interface Sample {
  readonly table: string;
  readonly row: string;
  readonly round: number;
  readonly figures: Figures;
}

/** One figure, over all rounds. */
export type Spread = { readonly median: number; readonly min: number; readonly max: number };

/** @throws Error when there is no value. */
export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new Error("values: expected at least one");
  const sorted = values.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const median = sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)! };
}

/** A figure among the samples, such as `hot / memory / ns`, or the least of rows: `hot / memory, table / ns`. */
export type Path = string;

export function partsOf(path: Path) {
  const [table = "", rows = "", figure = ""] = path.split(" / ");
  return { table, rows: rows.split(", "), figure };
}

/** One figure, or one divided by another of the same round. `undefined` if no round has them. */
export function ratioOf(samples: readonly Sample[], of: Path, over?: Path): Spread | undefined {
  const divisors = over === undefined ? undefined : valuesByRound(samples, over);
  const ratios = [...valuesByRound(samples, of)].flatMap(([round, value]) => {
    const divisor = divisors === undefined ? 1 : divisors.get(round);
    return divisor === undefined ? [] : [value / divisor];
  });
  return ratios.length === 0 ? undefined : spreadOf(ratios);
}

function valuesByRound(samples: readonly Sample[], path: Path): Map<number, number> {
  const { table, rows, figure } = partsOf(path);
  const values = new Map<number, number>();
  for (const sample of samples) {
    const value = sample.figures[figure];
    if (value === undefined || sample.table !== table || !rows.includes(sample.row)) continue;
    values.set(sample.round, Math.min(value, values.get(sample.round) ?? Number.POSITIVE_INFINITY));
  }
  return values;
}
