import type { Attributes, Histogram, Meter, MetricOptions, Observable } from "@opentelemetry/api";
import {
  type HistogramMetric,
  type Labels,
  mergeNumbers,
  type NumberMetric,
  type NumberValue,
  type Reading,
} from "../readings/metric.ts";
import {
  ACQUIRED,
  BLOCKED,
  BREAKER,
  DURATION,
  HYBRID_ASKS,
  HYBRID_EXPIRED,
  HYBRID_LEASED,
  HYBRID_LOCAL,
  HYBRID_RETURNED,
  HYBRID_SPENT,
  HYBRID_WAITED,
  KEYS,
  NEAR,
  OVERFLOWED,
  PLACES,
  REDIS_CALLS,
  REDIS_DURATION,
  SWEPT,
  TOKENS,
  WAITED,
  WAITING,
} from "../readings/metrics.ts";
import type { Output } from "../readings/output.ts";

interface Named {
  readonly name: string;
  readonly unit: string;
}

/** The names of the metrics in OpenTelemetry, and their units. */
const NAMES: ReadonlyMap<string, Named> = new Map(
  (
    [
      [ACQUIRED, "rate_limit.acquire.count", "{call}"],
      [NEAR, "rate_limit.near_limit.count", "{call}"],
      [DURATION, "rate_limit.acquire.duration", "s"],
      [TOKENS, "rate_limit.tokens", "{unit}"],
      [WAITING, "rate_limit.wait.active", "{call}"],
      [WAITED, "rate_limit.wait.duration", "s"],
      [PLACES, "rate_limit.place.usage", "{place}"],
      [KEYS, "rate_limit.store.keys", "{key}"],
      [OVERFLOWED, "rate_limit.store.overflow.count", "{call}"],
      [SWEPT, "rate_limit.store.swept.count", "{key}"],
      [BLOCKED, "rate_limit.store.blocked", "{key}"],
      [REDIS_CALLS, "rate_limit.redis.call.count", "{call}"],
      [REDIS_DURATION, "rate_limit.redis.duration", "s"],
      [BREAKER, "rate_limit.breaker.state", "1"],
      [HYBRID_ASKS, "rate_limit.hybrid.ask.count", "{request}"],
      [HYBRID_LOCAL, "rate_limit.hybrid.local.count", "{call}"],
      [HYBRID_WAITED, "rate_limit.hybrid.waited.count", "{call}"],
      [HYBRID_LEASED, "rate_limit.hybrid.leased.count", "{unit}"],
      [HYBRID_SPENT, "rate_limit.hybrid.spent.count", "{unit}"],
      [HYBRID_RETURNED, "rate_limit.hybrid.returned.count", "{unit}"],
      [HYBRID_EXPIRED, "rate_limit.hybrid.expired.count", "{unit}"],
    ] as const
  ).map(([metric, name, unit]) => [metric.name, { name, unit }]),
);

/** Labels as attributes: `limiter` as `rate_limit.limiter`. */
export function attributesOf(labels: Labels): Attributes {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [`rate_limit.${name}`, value]));
}

/** The instruments of a meter. All limiters and stores that are measured with it share them. */
export class MeterInstruments implements Pick<Output, "stores" | "add"> {
  readonly stores: Output["stores"] = new Map();
  readonly #meter: Meter;
  readonly #readings = new Map<string, Set<Reading>>();
  readonly #histograms = new Map<string, Histogram>();

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  /** Histograms are recorded as values come: their readings are for scrapes. */
  add(reading: Reading): () => void {
    const { metric } = reading;
    if (metric.type === "histogram") return () => {};
    const readings = this.#readings.get(metric.name) ?? this.#observe(metric);
    readings.add(reading);
    return () => void readings.delete(reading);
  }

  record(metric: HistogramMetric, seconds: number, labels: Labels): void {
    this.#histogram(metric).record(seconds, attributesOf(labels));
  }

  #histogram(metric: HistogramMetric): Histogram {
    const known = this.#histograms.get(metric.name);
    if (known !== undefined) return known;
    const { name, options } = describe(metric);
    const made = this.#meter.createHistogram(name, {
      ...options,
      advice: { explicitBucketBoundaries: [...metric.bounds] },
    });
    this.#histograms.set(metric.name, made);
    return made;
  }

  #observe(metric: NumberMetric): Set<Reading> {
    const readings = new Set<Reading>();
    this.#readings.set(metric.name, readings);
    this.#observable(metric).addCallback(async (result) => {
      const values = await Promise.all(
        Array.from(readings, async (reading) => reading.read() as readonly NumberValue[]),
      );
      for (const { labels, value } of mergeNumbers(values.flat(), metric.aggregator))
        result.observe(value, attributesOf(labels));
    });
    return readings;
  }

  /** What is added up over processes is a counter, which may go down. */
  #observable(metric: NumberMetric): Observable {
    const { name, options } = describe(metric);
    if (metric.type === "counter") return this.#meter.createObservableCounter(name, options);
    return metric.aggregator === "sum"
      ? this.#meter.createObservableUpDownCounter(name, options)
      : this.#meter.createObservableGauge(name, options);
  }
}

function describe({ name, help }: NumberMetric | HistogramMetric): { name: string; options: MetricOptions } {
  const named = NAMES.get(name) ?? { name, unit: "1" };
  return { name: named.name, options: { description: help, unit: named.unit } };
}
