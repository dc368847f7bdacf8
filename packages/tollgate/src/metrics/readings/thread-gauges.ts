import { readUs } from "../../core/clock.ts";
import type { ThreadCounts } from "../../core/store-readings.ts";
import type { Labels, NumberMetric, NumberValue } from "./metric.ts";

/** Values of a gauge, as of now. */
export interface GaugeSource {
  readonly metric: NumberMetric;
  readonly read: () => readonly NumberValue[];
}

/** How often a thread shows its gauges to others, without being asked. */
const SHOWN_EVERY_MS = 1_000;
/** A thread that has shown nothing for this long has ended, and its gauges with it. */
const FRESH_FOR_US = 5_000_000;

/** The gauges of this thread, by where they are shown: a reader in this thread has them as of now. */
const SHOWN_HERE = new WeakMap<ThreadCounts, Set<ThreadGauges>>();

/**
 * Shows gauges of this thread to the other threads of a store: each value beside the time at which it was shown. Unlike
 * a count, a gauge must not outlive its thread.
 */
export class ThreadGauges {
  readonly #counts: ThreadCounts;
  readonly #sources: readonly GaugeSource[];
  /** The value and the time, by metric and labels. */
  readonly #cells = new Map<string, Float64Array>();
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(counts: ThreadCounts, sources: readonly GaugeSource[]) {
    this.#counts = counts;
    this.#sources = sources;
    const here = SHOWN_HERE.get(counts) ?? new Set();
    SHOWN_HERE.set(counts, here.add(this));
    this.#timer = setInterval(() => this.show(), SHOWN_EVERY_MS);
    // In browsers timers are numbers.
    if (typeof this.#timer === "object") this.#timer.unref();
  }

  show(): void {
    const nowUs = readUs(this.#counts.clock);
    const gone = new Set(this.#cells.keys());
    for (const { metric, read } of this.#sources) {
      for (const { labels, value } of read()) {
        const text = textOf(metric, labels);
        // Most limiters never have such a value, and need no memory for it.
        const cells = this.#cells.get(text) ?? (value > 0 ? this.#counts.claim(text, 2) : undefined);
        // The memory is used up, or nothing is to be shown: the limiter's own reading has this value.
        if (cells === undefined) continue;
        this.#cells.set(text, cells);
        gone.delete(text);
        cells[0] = value;
        cells[1] = nowUs;
      }
    }
    for (const [text, cells] of this.#cells) if (gone.has(text)) cells[1] = 0;
  }

  /** Values of a metric that are not shown to other threads. */
  unshown({ metric, read }: GaugeSource): NumberValue[] {
    this.show();
    return read().filter(({ labels }) => !this.#cells.has(textOf(metric, labels)));
  }

  end(): void {
    clearInterval(this.#timer);
    SHOWN_HERE.get(this.#counts)?.delete(this);
    for (const cells of this.#cells.values()) cells[1] = 0;
  }
}

/** The values of a gauge of all threads that are alive. */
export function gaugesOfThreads(counts: ThreadCounts, metric: NumberMetric): NumberValue[] {
  for (const gauges of SHOWN_HERE.get(counts) ?? []) gauges.show();
  const nowUs = readUs(counts.clock);
  return counts.all().flatMap(({ text, cells }) => {
    const [name, labels] = JSON.parse(text) as [string, Labels];
    const isFresh = name === metric.name && Math.abs(nowUs - cells[1]!) <= FRESH_FOR_US;
    return isFresh ? [{ labels, value: cells[0]! }] : [];
  });
}

function textOf({ name }: NumberMetric, labels: Labels): string {
  return JSON.stringify([name, labels]);
}
