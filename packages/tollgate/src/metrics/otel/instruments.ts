import type { Attributes, Histogram, Meter, Observable } from "@opentelemetry/api";
import { type HistogramMetric, type Labels, type NumberMetric, type Reading, readAll } from "../readings/metric.ts";
import type { Output, Recorder } from "../readings/output.ts";

/** Labels as attributes: `limiter` as `rate_limit.limiter`. */
export function attributesOf(labels: Labels): Attributes {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [`rate_limit.${name}`, value]));
}

/** The instruments of a meter. All limiters and stores that are measured with it share them. */
export class MeterInstruments implements Output {
  readonly stores: Output["stores"] = new Map();
  readonly #meter: Meter;
  readonly #readings = new Map<NumberMetric, Set<Reading>>();
  readonly #histograms = new Map<HistogramMetric, Histogram>();

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  add(reading: Reading): () => void {
    const readings = this.#readings.get(reading.metric) ?? this.#observe(reading.metric);
    readings.add(reading);
    return () => void readings.delete(reading);
  }

  histogram(metric: HistogramMetric, labels: Labels): Recorder {
    const histogram = this.#histograms.get(metric) ?? this.#createHistogram(metric);
    return { record: (seconds) => histogram.record(seconds, attributesOf(labels)), remove: () => {} };
  }

  #createHistogram(metric: HistogramMetric): Histogram {
    const { otelName, unit, help: description, bounds } = metric;
    const advice = { explicitBucketBoundaries: [...bounds] };
    const made = this.#meter.createHistogram(otelName, { unit, description, advice });
    this.#histograms.set(metric, made);
    return made;
  }

  #observe(metric: NumberMetric): Set<Reading> {
    const readings = new Set<Reading>();
    this.#readings.set(metric, readings);
    this.#observable(metric).addCallback(async (result) => {
      for (const { labels, value } of await readAll(metric, readings)) result.observe(value, attributesOf(labels));
    });
    return readings;
  }

  /** What is added up over processes is a counter, which may go down. */
  #observable({ otelName, unit, help: description, type, aggregator }: NumberMetric): Observable {
    const options = { unit, description };
    if (type === "counter") return this.#meter.createObservableCounter(otelName, options);
    return aggregator === "sum"
      ? this.#meter.createObservableUpDownCounter(otelName, options)
      : this.#meter.createObservableGauge(otelName, options);
  }
}
