import type { Denied } from "../../core/decision.ts";
import type { SentBatch } from "../../core/store-readings.ts";
import type { HistogramMetric, Labels, Reading } from "./metric.ts";

/** Where measurements go: a registry of prom-client, or a meter of OpenTelemetry. Its methods do not throw. */
export interface Output {
  /** The stores that it measures, by identity. */
  readonly stores: Map<unknown, MeasuredStore>;
  /** Adds a reading, and returns a function that removes it. */
  add(reading: Reading): () => void;
  /** Adds a series of durations. Its labels may change, and count as they are when a duration is recorded or read. */
  histogram(metric: HistogramMetric, labels: Labels): Recorder;
  /** Gets each denial of a limiter. */
  readonly denied?: (decision: Denied) => void;
  /** Gets what stores elsewhere send, as it ends. */
  readonly sent?: (batch: SentBatch, storeName: string) => void;
}

/** A store whose readings an output has. */
export interface MeasuredStore {
  readonly labels: { store: string };
  readonly removals: readonly (() => void)[];
  /** How many limiters brought it. */
  uses: number;
}

/** A series of durations. */
export interface Recorder {
  record(seconds: number): void;
  remove(): void;
}
