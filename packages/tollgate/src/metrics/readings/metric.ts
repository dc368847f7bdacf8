/** The labels of a series. */
export type Labels = Readonly<Record<string, string>>;

/** How the values of several processes of a cluster become one. */
export type Aggregator = "sum" | "max" | "min";

export interface NumberMetric {
  readonly type: "counter" | "gauge";
  readonly name: string;
  readonly help: string;
  readonly aggregator: Aggregator;
}

export interface HistogramMetric {
  readonly type: "histogram";
  readonly name: string;
  readonly help: string;
  readonly aggregator: "sum";
  /** The upper bounds of the buckets, in seconds, without infinity. */
  readonly bounds: readonly number[];
}

export type Metric = NumberMetric | HistogramMetric;

/** A value of a metric. */
export interface NumberValue {
  readonly labels: Labels;
  readonly value: number;
}

/** What a histogram has counted: a number for each bucket, the last without a bound, and the sum. */
export interface HistogramValue {
  readonly labels: Labels;
  /** Not cumulative. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** Reads the values of a metric when they are asked for. */
export type Reading =
  | { readonly metric: NumberMetric; readonly read: () => readonly NumberValue[] | Promise<readonly NumberValue[]> }
  | { readonly metric: HistogramMetric; readonly read: () => readonly HistogramValue[] };

/** Numbers of equal labels become one. */
export function mergeNumbers(values: readonly NumberValue[], aggregator: Aggregator): NumberValue[] {
  const merged = new Map<string, NumberValue>();
  for (const { labels, value } of values) {
    const identity = JSON.stringify(labels);
    const before = merged.get(identity);
    merged.set(
      identity,
      before === undefined ? { labels, value } : { labels, value: COMBINE[aggregator](before.value, value) },
    );
  }
  return [...merged.values()];
}

const COMBINE: Readonly<Record<Aggregator, (one: number, other: number) => number>> = {
  sum: (one, other) => one + other,
  max: Math.max,
  min: Math.min,
};

/** Histograms of equal labels become one. */
export function mergeHistograms(values: readonly HistogramValue[]): HistogramValue[] {
  const merged = new Map<string, HistogramValue>();
  for (const { labels, counts, sum } of values) {
    const identity = JSON.stringify(labels);
    const before = merged.get(identity);
    const added = counts.map((count, i) => count + (before?.counts[i] ?? 0));
    merged.set(identity, { labels, counts: added, sum: sum + (before?.sum ?? 0) });
  }
  return [...merged.values()];
}
