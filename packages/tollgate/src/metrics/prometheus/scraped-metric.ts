/** A value of a metric, with its labels. */
export interface MetricValue {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Tells the values of a limiter when they are scraped. */
export type MetricSource = () => readonly MetricValue[] | Promise<readonly MetricValue[]>;

/** What is used of a `Registry` of prom-client. */
export interface MetricsRegistry {
  registerMetric(metric: never): void;
  getSingleMetric(name: string): unknown;
}

export interface MetricDescription {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge";
}

/**
 * A metric as a registry of prom-client asks for it. All limiters that are instrumented with the registry are sources
 * of one metric. prom-client is not imported, so that `hotKeys` works without it.
 */
class ScrapedMetric {
  /** Writable, because registries for OpenMetrics cut the suffix of counters. */
  name: string;
  readonly help: string;
  readonly type: "counter" | "gauge";
  /** How prom-client adds the values of the processes of a cluster. */
  readonly aggregator = "sum";
  readonly sources = new Set<MetricSource>();

  constructor({ name, help, type }: MetricDescription) {
    this.name = name;
    this.help = help;
    this.type = type;
  }

  async get(): Promise<object> {
    const { name, help, type, aggregator } = this;
    const values = await Promise.all(Array.from(this.sources, async (source) => source()));
    return { name, help, type, aggregator, values: this.#merged(values.flat()) };
  }

  /** Limiters of one name have one series: their counts are added, and of their gauges the last one shows. */
  #merged(values: readonly MetricValue[]): MetricValue[] {
    const merged = new Map<string, MetricValue>();
    for (const { labels, value } of values) {
      const identity = JSON.stringify(labels);
      const before = this.type === "counter" ? (merged.get(identity)?.value ?? 0) : 0;
      merged.set(identity, { labels, value: before + value });
    }
    return [...merged.values()];
  }

  /** The registry's `resetMetrics`. Counters go on: what calls were is no state of the registry. */
  reset(): void {}
}

/** Adds a source to a metric of a registry, and returns a function that removes it. */
export function addSource(registry: MetricsRegistry, described: MetricDescription, source: MetricSource): () => void {
  const sources = sourcesOf(registry, described);
  sources.add(source);
  return () => void sources.delete(source);
}

function sourcesOf(registry: MetricsRegistry, described: MetricDescription): Set<MetricSource> {
  const known = registry.getSingleMetric(described.name) as Partial<ScrapedMetric> | undefined;
  // The metric may be of another copy of the library. One that is of neither makes the registry throw.
  if (known?.sources instanceof Set) return known.sources;
  const metric = new ScrapedMetric(described);
  registry.registerMetric(metric as never);
  return metric.sources;
}
