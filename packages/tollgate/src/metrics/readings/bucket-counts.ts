import type { HistogramMetric, HistogramValue, Labels } from "./metric.ts";

/** Counts durations in the cells of a histogram. */
export class BucketCounts {
  readonly #bounds: readonly number[];
  readonly #cells: Float64Array;

  constructor({ bounds }: HistogramMetric, cells: Float64Array) {
    this.#bounds = bounds;
    this.#cells = cells;
  }

  add(seconds: number): void {
    const bounds = this.#bounds;
    let low = 0;
    let high = bounds.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (seconds <= bounds[middle]!) high = middle;
      else low = middle + 1;
    }
    this.#cells[low]! += 1;
    this.#cells[bounds.length + 1]! += seconds;
  }

  value(labels: Labels): HistogramValue {
    return histogramValue(labels, this.#cells);
  }
}

/** What the cells of a histogram have counted. */
export function histogramValue(labels: Labels, cells: Float64Array): HistogramValue {
  return { labels, counts: [...cells.subarray(0, -1)], sum: cells[cells.length - 1]! };
}
