import { AggregatorRegistry, Registry } from "prom-client";

/** A metric as prom-client gives it (`getMetricsAsJSON`). */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram" | "summary";
  /** How prom-client makes one number of those of several processes. */
  readonly aggregator: string;
  readonly values: readonly Sample[];
}

interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  /** The name of a sample that is not named as its family, such as one with `_bucket`. */
  readonly metricName?: string;
}

export async function familiesOf(registry: Registry): Promise<readonly Family[]> {
  return (await registry.getMetricsAsJSON()) as unknown as Family[];
}

/** Metrics in the text format of Prometheus. */
export function textOf(families: readonly Family[]): Promise<string> {
  const registry = new Registry();
  for (const family of families) registry.registerMetric({ ...family, get: () => family } as never);
  return registry.metrics();
}

/** The metrics of several processes as those of one service. */
export function mergeFamilies(processes: readonly (readonly Family[])[]): readonly Family[] {
  return AggregatorRegistry.aggregate(processes as never).getMetricsAsArray() as never;
}

/** What counts on when a process has ended: counters never go down. */
export function lastingFamilies(families: readonly Family[]): readonly Family[] {
  return families.filter(({ type }) => type === "counter" || type === "histogram");
}
