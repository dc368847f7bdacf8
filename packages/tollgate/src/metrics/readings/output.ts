import type { SentBatch } from "../../core/store-readings.ts";
import type { Reading } from "./metric.ts";
import { type AnyStore, StoreSource } from "./store-readings.ts";

/** Where readings go, such as a registry of prom-client. */
export interface Output {
  /** The stores whose readings it has. */
  readonly stores: Map<unknown, MeasuredStore>;
  /** Adds a reading, and returns a function that removes it. */
  add(reading: Reading): () => void;
  /** Gets what stores elsewhere send, as it ends, in addition to what is counted. */
  readonly sent?: (batch: SentBatch, storeName: string) => void;
}

/** A store whose readings an output has. */
interface MeasuredStore {
  readonly source: StoreSource;
  readonly removals: readonly (() => void)[];
  uses: number;
}

/** What stores are called that have no label. */
const UNNAMED = "custom";

/** Adds the readings of a store, once, and returns a function that removes them after the last use. */
export function addStore(output: Output, store: AnyStore, name: string | undefined): () => void {
  const { stores } = output;
  // Several objects may be one store.
  const identity = (store.kind === "sync" ? store.identity : undefined) ?? store;
  const measured = stores.get(identity) ?? begin(output, store);
  if (name !== undefined) measured.source.rename(name);
  stores.set(identity, measured);
  measured.uses += 1;
  let isRemoved = false;
  return () => {
    if (isRemoved) return;
    isRemoved = true;
    measured.uses -= 1;
    if (measured.uses > 0) return;
    stores.delete(identity);
    for (const remove of measured.removals) remove();
  };
}

function begin(output: Output, store: AnyStore): MeasuredStore {
  const source = new StoreSource(store, store.label ?? UNNAMED, output.sent);
  const removals = source.readings.map((reading) => output.add(reading));
  return { source, removals: [...removals, source.end], uses: 0 };
}
