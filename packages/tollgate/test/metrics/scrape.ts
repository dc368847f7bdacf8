import type { Registry } from "prom-client";

/** The lines of a scrape whose metric has a name that begins so, without comments. */
export async function linesOf(registry: Pick<Registry, "metrics">, name: string): Promise<string[]> {
  return (await registry.metrics()).split("\n").filter((line) => line.startsWith(name));
}

/** A histogram as it was scraped, for one set of labels. */
export interface ScrapedHistogram {
  /** The upper bound of each bucket, and how many are not above it. */
  readonly buckets: readonly (readonly [bound: number, below: number])[];
  readonly sum: number;
  readonly count: number;
}

export async function histogramOf(registry: Pick<Registry, "metrics">, name: string): Promise<ScrapedHistogram> {
  const numberIn = (line: string | undefined) => Number(line?.slice(line.lastIndexOf(" ") + 1));
  const buckets = (await linesOf(registry, `${name}_bucket`)).map((line) => {
    const bound = /le="([^"]+)"/.exec(line)?.[1] ?? "";
    return [bound === "+Inf" ? Number.POSITIVE_INFINITY : Number(bound), numberIn(line)] as const;
  });
  const [sum] = await linesOf(registry, `${name}_sum`);
  const [count] = await linesOf(registry, `${name}_count`);
  return { buckets, sum: numberIn(sum), count: numberIn(count) };
}
