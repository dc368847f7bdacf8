import { type HistogramMetric, type Labels, type Metric, type Reading, readAll } from "../readings/metric.ts";
import { KEYS } from "../readings/metrics.ts";
import type { Output, Recorder } from "../readings/output.ts";

/** What is used of a `Registry` of prom-client. */
export interface MetricsRegistry {
  registerMetric(metric: never): void;
  getSingleMetric(name: string): unknown;
}

/** A line of a scrape, as prom-client has it. */
interface Line {
  readonly labels: Labels;
  readonly value: number;
  readonly metricName?: string;
}

/** Counts durations in buckets. */
class Buckets implements Recorder {
  /** May change: a store can be renamed. */
  readonly labels: Labels;
  /** How many durations each bucket has, the last without a bound. Not cumulative. */
  readonly counts: number[];
  sum = 0;
  readonly #bounds: readonly number[];
  readonly remove: () => void;

  constructor({ bounds }: HistogramMetric, labels: Labels, sources: Set<unknown>) {
    this.labels = labels;
    this.#bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
    sources.add(this);
    this.remove = () => void sources.delete(this);
  }

  record(seconds: number): void {
    const bounds = this.#bounds;
    let low = 0;
    let high = bounds.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (seconds <= bounds[middle]!) high = middle;
      else low = middle + 1;
    }
    this.counts[low]! += 1;
    this.sum += seconds;
  }
}

/**
 * A metric as a registry of prom-client asks for it. All limiters and stores that are instrumented with the registry
 * are sources of one metric. prom-client is not imported, so that `hotKeys` works without it.
 */
class ScrapedMetric {
  /** Writable, because registries for OpenMetrics cut the suffix of counters. */
  name: string;
  readonly help: string;
  readonly type: Metric["type"];
  /** How prom-client merges the values of the processes of a cluster. */
  readonly aggregator: Metric["aggregator"];
  /** Readings of numbers, or the buckets of a histogram. */
  readonly sources: Set<Reading | Buckets> = new Set();
  /** The stores whose readings the registry has: of one metric, for all. */
  readonly stores: Output["stores"] = new Map();
  readonly #metric: Metric;

  constructor(metric: Metric) {
    this.#metric = metric;
    this.name = metric.name;
    this.help = metric.help;
    this.type = metric.type;
    this.aggregator = metric.aggregator;
  }

  async get(): Promise<object> {
    const { name, help, type, aggregator, sources } = this;
    const values =
      this.#metric.type === "histogram"
        ? linesOf(this.#metric, sources as Set<Buckets>)
        : await readAll(this.#metric, sources as Set<Reading>);
    return { name, help, type, aggregator, values };
  }

  /** The registry's `resetMetrics`. Counters go on: what calls were is no state of the registry. */
  reset(): void {}
}

/** Histograms of equal labels become one: cumulative buckets, the sum and the count. Empty ones have no lines. */
function linesOf({ name, bounds }: HistogramMetric, sources: Iterable<Buckets>): Line[] {
  const series = new Map<string, Buckets[]>();
  for (const one of sources) {
    const id = JSON.stringify(one.labels);
    series.set(id, [...(series.get(id) ?? []), one]);
  }
  return [...series.values()].flatMap((all) => {
    const labels = { ...all[0]!.labels };
    let below = 0;
    const lines = [...bounds.map(String), "+Inf"].map((le, i): Line => {
      for (const { counts } of all) below += counts[i]!;
      return { labels: { ...labels, le }, value: below, metricName: `${name}_bucket` };
    });
    lines.push({ labels, value: all.reduce((sum, one) => sum + one.sum, 0), metricName: `${name}_sum` });
    lines.push({ labels, value: below, metricName: `${name}_count` });
    return below === 0 ? [] : lines;
  });
}

/** A registry, as measurements go to it. */
export function outputTo(registry: MetricsRegistry): Output {
  return {
    get stores() {
      return scrapedMetric(registry, KEYS).stores;
    },
    add: (reading) => {
      const { sources } = scrapedMetric(registry, reading.metric);
      sources.add(reading);
      return () => void sources.delete(reading);
    },
    histogram: (metric, labels) => new Buckets(metric, labels, scrapedMetric(registry, metric).sources),
  };
}

/** The metric of a registry, made if necessary. */
function scrapedMetric(registry: MetricsRegistry, metric: Metric): Pick<ScrapedMetric, "sources" | "stores"> {
  const known = registry.getSingleMetric(metric.name) as Partial<ScrapedMetric> | undefined;
  // The metric may be of another copy of the library. One that is of neither makes the registry throw.
  if (known?.sources instanceof Set && known.stores instanceof Map) return known as ScrapedMetric;
  const made = new ScrapedMetric(metric);
  registry.registerMetric(made as never);
  return made;
}
