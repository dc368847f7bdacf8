import {
  type HistogramMetric,
  type HistogramValue,
  type Labels,
  type Metric,
  mergeHistograms,
  mergeNumbers,
  type NumberValue,
  type Reading,
} from "../readings/metric.ts";
import { KEYS } from "../readings/metrics.ts";
import type { Output } from "../readings/output.ts";

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
  readonly sources: Set<Reading> = new Set();
  /** The stores whose readings the registry has: of one metric, for all. */
  readonly owners: Map<unknown, unknown> = new Map();
  readonly #metric: Metric;

  constructor(metric: Metric) {
    this.#metric = metric;
    this.name = metric.name;
    this.help = metric.help;
    this.type = metric.type;
    this.aggregator = metric.aggregator;
  }

  async get(): Promise<object> {
    const { name, help, type, aggregator } = this;
    const read = (await Promise.all(Array.from(this.sources, async (source) => source.read()))).flat();
    const values: Line[] =
      this.#metric.type === "histogram"
        ? mergeHistograms(read as HistogramValue[]).flatMap((value) => linesOf(this.#metric as HistogramMetric, value))
        : mergeNumbers(read as NumberValue[], this.#metric.aggregator);
    return { name, help, type, aggregator, values };
  }

  /** The registry's `resetMetrics`. Counters go on: what calls were is no state of the registry. */
  reset(): void {}
}

/** The lines of a histogram: cumulative buckets, the sum and the count. */
function linesOf({ name, bounds }: HistogramMetric, { labels, counts, sum }: HistogramValue): Line[] {
  const lines: Line[] = [];
  let below = 0;
  for (const [i, count] of counts.entries()) {
    below += count;
    const le = i < bounds.length ? String(bounds[i]!) : "+Inf";
    lines.push({ labels: { ...labels, le }, value: below, metricName: `${name}_bucket` });
  }
  lines.push({ labels, value: sum, metricName: `${name}_sum` });
  lines.push({ labels, value: below, metricName: `${name}_count` });
  return lines;
}

/** A registry, as readings go to it. */
export function outputTo(registry: MetricsRegistry): Output {
  return {
    get stores() {
      return scrapedMetric(registry, KEYS).owners as Output["stores"];
    },
    add: (reading) => {
      const { sources } = scrapedMetric(registry, reading.metric);
      sources.add(reading);
      return () => void sources.delete(reading);
    },
  };
}

/** The metric of a registry, made if necessary. */
function scrapedMetric(registry: MetricsRegistry, metric: Metric): Pick<ScrapedMetric, "sources" | "owners"> {
  const known = registry.getSingleMetric(metric.name) as Partial<ScrapedMetric> | undefined;
  // The metric may be of another copy of the library. One that is of neither makes the registry throw.
  if (known?.sources instanceof Set && known.owners instanceof Map) return known as ScrapedMetric;
  const made = new ScrapedMetric(metric);
  registry.registerMetric(made as never);
  return made;
}
