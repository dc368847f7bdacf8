import type { ThreadCounts } from "../../core/store-readings.ts";
import { histogramValue } from "./bucket-counts.ts";
import type { HistogramMetric, HistogramValue, Labels, Metric, NumberValue } from "./metric.ts";

interface Series {
  readonly metric: string;
  readonly labels: Labels;
  readonly cells: Float64Array;
}

/**
 * Makes the numbers that calls add to, and reads them. Over a store that threads share they lie in its memory: then the
 * store's readings have those of all threads, and these have what found no memory there.
 */
export class CountedSeries {
  readonly #shared: ThreadCounts | undefined;
  readonly #own: Series[] = [];

  constructor(shared: ThreadCounts | undefined) {
    this.#shared = shared;
  }

  /** A number for a series, at index 0. */
  number(metric: Metric, labels: Labels): Float64Array {
    return this.#cells(metric, labels, 1);
  }

  /** A number for each bucket, that without a bound, and the sum. */
  histogram(metric: HistogramMetric, labels: Labels): Float64Array {
    return this.#cells(metric, labels, metric.bounds.length + 2);
  }

  numbers(metric: Metric): NumberValue[] {
    return numbersOf(this.#own, metric);
  }

  histograms(metric: HistogramMetric): HistogramValue[] {
    return histogramsOf(this.#own, metric);
  }

  #cells(metric: Metric, labels: Labels, length: number): Float64Array {
    const shared = this.#shared?.claim(JSON.stringify([metric.name, labels]), length);
    if (shared !== undefined) return shared;
    const cells = new Float64Array(length);
    this.#own.push({ metric: metric.name, labels, cells });
    return cells;
  }
}

/** Reads the numbers of all threads of a store. */
export class ThreadSeries {
  readonly #counts: ThreadCounts;

  constructor(counts: ThreadCounts) {
    this.#counts = counts;
  }

  numbers(metric: Metric): NumberValue[] {
    return numbersOf(this.#all(), metric);
  }

  histograms(metric: HistogramMetric): HistogramValue[] {
    return histogramsOf(this.#all(), metric);
  }

  #all(): Series[] {
    return this.#counts.all().map(({ text, cells }) => {
      const [metric, labels] = JSON.parse(text) as [string, Labels];
      return { metric, labels, cells };
    });
  }
}

function numbersOf(all: readonly Series[], { name }: Metric): NumberValue[] {
  return all
    .filter(({ metric, cells }) => metric === name && cells[0]! > 0)
    .map(({ labels, cells }) => ({ labels, value: cells[0]! }));
}

function histogramsOf(all: readonly Series[], { name }: HistogramMetric): HistogramValue[] {
  return all.filter(({ metric }) => metric === name).map(({ labels, cells }) => histogramValue(labels, cells));
}
