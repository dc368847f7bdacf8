import { KEYS } from "../readings/metrics.ts";
import { type AnyStore, StoreSource } from "../readings/store-readings.ts";
import { addReading, type MetricsRegistry, scrapedMetric } from "./scraped-metric.ts";

/** A store whose readings a registry has. */
interface Instrumented {
  readonly source: StoreSource;
  readonly removals: readonly (() => void)[];
  uses: number;
}

/** What stores are called that were given no name. */
const UNNAMED = "custom";

/** Adds the readings of a store to a registry, once, and returns a function that removes them after the last use. */
export function addStore(registry: MetricsRegistry, store: AnyStore, label: string | undefined): () => void {
  const stores = scrapedMetric(registry, KEYS).owners as Map<unknown, Instrumented>;
  // Several objects may be one store.
  const identity = (store.kind === "sync" ? store.identity : undefined) ?? store;
  const instrumented = stores.get(identity) ?? begin(registry, store);
  if (label !== undefined) instrumented.source.rename(label);
  stores.set(identity, instrumented);
  instrumented.uses += 1;
  let isRemoved = false;
  return () => {
    if (isRemoved) return;
    isRemoved = true;
    instrumented.uses -= 1;
    if (instrumented.uses > 0) return;
    stores.delete(identity);
    for (const remove of instrumented.removals) remove();
  };
}

function begin(registry: MetricsRegistry, store: AnyStore): Instrumented {
  const source = new StoreSource(store, store.label ?? UNNAMED);
  const removals = source.readings.map((reading) => addReading(registry, reading));
  return { source, removals: [...removals, source.end], uses: 0 };
}
