import { warnOfObserver } from "../../core/observer.ts";
import type { AsyncStore, SyncStore } from "../../core/store.ts";
import type { SentBatch, StoreReadings } from "../../core/store-readings.ts";
import { BucketCounts } from "./bucket-counts.ts";
import type { Labels, NumberMetric, NumberValue, Reading } from "./metric.ts";
import {
  BLOCKED,
  BREAKER,
  HYBRID_ASKS,
  HYBRID_EXPIRED,
  HYBRID_LEASED,
  HYBRID_LOCAL,
  HYBRID_RETURNED,
  HYBRID_SPENT,
  HYBRID_WAITED,
  KEYS,
  OVERFLOWED,
  REDIS_CALLS,
  REDIS_DURATION,
  SWEPT,
} from "./metrics.ts";

export type AnyStore = SyncStore | AsyncStore;

/** What is shown of a store's readings. */
const SHOWN: readonly {
  readonly metric: NumberMetric;
  readonly find: (readings: StoreReadings) => number | undefined;
}[] = [
  { metric: KEYS, find: ({ keys }) => keys },
  { metric: OVERFLOWED, find: ({ overflowed }) => overflowed },
  { metric: SWEPT, find: ({ swept }) => swept },
  { metric: BLOCKED, find: ({ blocked }) => blocked },
  { metric: BREAKER, find: ({ breaker }) => (breaker === undefined ? undefined : BREAKER_NUMBERS[breaker]) },
  { metric: HYBRID_ASKS, find: ({ leases }) => leases?.asks },
  { metric: HYBRID_LOCAL, find: ({ leases }) => leases?.decidedLocally },
  { metric: HYBRID_WAITED, find: ({ leases }) => leases?.waited },
  { metric: HYBRID_LEASED, find: ({ leases }) => leases?.leased },
  { metric: HYBRID_SPENT, find: ({ leases }) => leases?.spent },
  { metric: HYBRID_RETURNED, find: ({ leases }) => leases?.returned },
  { metric: HYBRID_EXPIRED, find: ({ leases }) => leases?.expired },
];

const BREAKER_NUMBERS = { closed: 0, "half-open": 1, open: 2 } as const;

/** Reads what a store counts, and counts what it sends. */
export class StoreSource {
  readonly readings: readonly Reading[];
  /** Ends the counting. */
  readonly end: () => void;
  readonly #labels: { store: string };

  constructor(store: AnyStore, label: string, sent?: (batch: SentBatch, label: string) => void) {
    const labels = { store: label };
    this.#labels = labels;
    const watched = store.kind === "async" ? watchBatches(store, labels, sent) : undefined;
    this.end = watched?.end ?? (() => {});
    this.readings = [...readingsOf(store, labels), ...(watched?.readings ?? [])];
  }

  /** Changes what the store is called. */
  rename(label: string): void {
    this.#labels.store = label;
  }
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
  return SHOWN.map(({ metric, find }) => ({
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

function watchBatches(
  store: AsyncStore,
  labels: { readonly store: string },
  sent: ((batch: SentBatch, label: string) => void) | undefined,
): { readonly readings: Reading[]; readonly end: () => void } | undefined {
  if (store.watchBatches === undefined) return undefined;
  const counts = { ok: 0, error: 0 };
  const cells = new Float64Array(REDIS_DURATION.bounds.length + 2);
  const durations = new BucketCounts(REDIS_DURATION, cells);
  const end = store.watchBatches((batch) => {
    counts[batch.failure === undefined ? "ok" : "error"] += 1;
    durations.add(batch.durationMs / 1000);
    sent?.(batch, labels.store);
  });
  const calls = (): NumberValue[] =>
    Object.entries(counts).map(([result, value]) => ({ labels: { ...labels, result }, value }));
  const readings: Reading[] = [
    { metric: REDIS_CALLS, read: calls },
    { metric: REDIS_DURATION, read: () => [durations.value({ ...labels })] },
  ];
  return { readings, end };
}
