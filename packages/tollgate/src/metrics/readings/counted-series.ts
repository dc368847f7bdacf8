import { histogramValue } from "./bucket-counts.ts";
import type { HistogramMetric, HistogramValue, Labels, Metric, NumberValue } from "./metric.ts";

interface Series {
  readonly metric: string;
  readonly labels: Labels;
  readonly cells: Float64Array;
}

/** Makes the numbers that calls add to, and reads them. */
export class CountedSeries {
  readonly #all: Series[] = [];

  /** A number for a series, at index 0. */
  number(metric: Metric, labels: Labels): Float64Array {
    return this.#cells(metric, labels, 1);
  }

  /** A number for each bucket, that without a bound, and the sum. */
  histogram(metric: HistogramMetric, labels: Labels): Float64Array {
    return this.#cells(metric, labels, metric.bounds.length + 2);
  }

  numbers(metric: Metric): NumberValue[] {
    return this.#of(metric)
      .filter(({ cells }) => cells[0]! > 0)
      .map(({ labels, cells }) => ({ labels, value: cells[0]! }));
  }

  histograms(metric: HistogramMetric): HistogramValue[] {
    return this.#of(metric).map(({ labels, cells }) => histogramValue(labels, cells));
  }

  #of({ name }: Metric): Series[] {
    return this.#all.filter(({ metric }) => metric === name);
  }

  #cells({ name }: Metric, labels: Labels, length: number): Float64Array {
    const cells = new Float64Array(length);
    this.#all.push({ metric: name, labels, cells });
    return cells;
  }
}
