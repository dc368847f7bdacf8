import { warnOfObserver } from "../../core/observer.ts";
import type { AsyncStore, SyncStore } from "../../core/store.ts";
import type { StoreReadings } from "../../core/store-readings.ts";
import type { Labels, NumberValue, Reading } from "./metric.ts";
import { REDIS_CALLS, REDIS_DURATION, STORE_METRICS } from "./metrics.ts";
import type { MeasuredStore, Output } from "./output.ts";

export type AnyStore = SyncStore | AsyncStore;

/** What stores are called that have no label. */
const UNNAMED = "custom";

/** Adds the readings of a store, once, and returns a function that removes them after the last use. */
export function addStore(output: Output, store: AnyStore, name: string | undefined): () => void {
  const { stores } = output;
  // Several objects may be one store.
  const identity = (store.kind === "sync" ? store.identity : undefined) ?? store;
  const measured = stores.get(identity) ?? begin(output, store);
  if (name !== undefined) measured.labels.store = name;
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
  const labels = { store: store.label ?? UNNAMED };
  const removals = readingsOf(store, labels).map((reading) => output.add(reading));
  if (store.kind === "async" && store.watchBatches !== undefined) {
    const counts = { ok: 0, error: 0 };
    const durations = output.histogram(REDIS_DURATION, labels);
    const stop = store.watchBatches((batch) => {
      counts[batch.failure === undefined ? "ok" : "error"] += 1;
      durations.record(batch.durationMs / 1000);
      output.sent?.(batch, labels.store);
    });
    const read = (): NumberValue[] =>
      Object.entries(counts).map(([result, value]) => ({ labels: { ...labels, result }, value }));
    removals.push(stop, durations.remove, output.add({ metric: REDIS_CALLS, read }));
  }
  return { labels, removals, uses: 0 };
}

/** The metrics of a scrape share one asking of the store. */
function readingsOf(store: AnyStore, labels: Labels): Reading[] {
  if (store.readings === undefined) return [];
  let asked: Promise<StoreReadings> | undefined;
  const ask = (): Promise<StoreReadings> => {
    asked ??= readingsNow(store).finally(() => {
      asked = undefined;
    });
    return asked;
  };
  return Array.from(STORE_METRICS, ([metric, find]) => ({
    metric,
    read: async (): Promise<readonly NumberValue[]> => {
      const value = find(await ask());
      return value === undefined ? [] : [{ labels: { ...labels }, value }];
    },
  }));
}

/** An error must not fail the scrape of all other metrics. */
async function readingsNow(store: AnyStore): Promise<StoreReadings> {
  try {
    return (await store.readings?.()) ?? {};
  } catch (error) {
    warnOfObserver(error);
    return {};
  }
}
