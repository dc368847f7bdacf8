/** The labels of a series. */
export type Labels = Readonly<Record<string, string>>;

/** What every output knows of a metric. */
interface Described {
  /** Its name in Prometheus. */
  readonly name: string;
  /** Its name and unit in OpenTelemetry. */
  readonly otelName: string;
  readonly unit: string;
  readonly help: string;
}

export interface NumberMetric extends Described {
  readonly type: "counter" | "gauge";
  /** How the values of several limiters or stores, and of the processes of a cluster, become one. */
  readonly aggregator: "sum" | "max" | "min";
}

/** Durations. */
export interface HistogramMetric extends Described {
  readonly type: "histogram";
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

/** Reads the values of a metric when they are asked for. */
export interface Reading {
  readonly metric: NumberMetric;
  readonly read: () => readonly NumberValue[] | Promise<readonly NumberValue[]>;
}

const COMBINE: Readonly<Record<NumberMetric["aggregator"], (one: number, other: number) => number>> = {
  sum: (one, other) => one + other,
  max: Math.max,
  min: Math.min,
};

/** Reads the values of a metric from several sources. Numbers of equal labels become one. */
export async function readAll(metric: NumberMetric, readings: Iterable<Reading>): Promise<NumberValue[]> {
  const values = await Promise.all(Array.from(readings, async (reading) => reading.read()));
  const merged = new Map<string, NumberValue>();
  for (const { labels, value } of values.flat()) {
    const identity = JSON.stringify(labels);
    const before = merged.get(identity);
    const sum = before === undefined ? value : COMBINE[metric.aggregator](before.value, value);
    merged.set(identity, { labels, value: sum });
  }
  return [...merged.values()];
}
