import { readUs } from "../../core/clock.ts";
import type { Denied, LimitStatus } from "../../core/decision.ts";
import type { Key } from "../../core/key.ts";
import { warnOfObserver } from "../../core/observer.ts";
import type { AsyncLimiter, Limiter } from "../../limiter/limiter.ts";
import type { ObservedParts } from "../../limiter/observed-parts.ts";
import type { Held } from "../../limiter/reserving/held.ts";
import type { DecidedCall } from "../../limiter/watching/decided-call.ts";
import type { Watcher } from "../../limiter/watching/watch.ts";
import { AcquireCounts } from "./acquire-counts.ts";
import { BucketCounts } from "./bucket-counts.ts";
import { CountedSeries } from "./counted-series.ts";
import type { KeyLabels } from "./key-labels.ts";
import type { HistogramValue, NumberValue, Reading } from "./metric.ts";
import { ACQUIRED, DURATION, NEAR, PLACES, TOKENS, WAITED, WAITING } from "./metrics.ts";
import { PlacesInUse } from "./places-in-use.ts";
import { timingCostMs } from "./timing-cost.ts";

export type AnyLimiter = Limiter<never> | AsyncLimiter<never>;

/** How a limiter is measured. */
interface MeasureOptions extends LimiterHooks {
  readonly labels: KeyLabels | undefined;
  readonly tokensOf: (() => readonly Key[]) | undefined;
  readonly sample: number;
}

/** What an output gets of calls as they come, in addition to what is counted. None of it may throw. */
export interface LimiterHooks {
  /** A call that was chosen took so many seconds. */
  readonly timed?: (seconds: number) => void;
  readonly waited?: (seconds: number) => void;
  readonly denied?: (decision: Denied) => void;
}

/** Counts and times the calls of a limiter. */
export class LimiterReadings implements Watcher {
  readonly times: number;
  readonly readings: readonly Reading[];
  readonly #limiter: AnyLimiter;
  readonly #parts: ObservedParts;
  readonly #options: MeasureOptions;
  readonly #counted = new CountedSeries();
  readonly #acquired: AcquireCounts;
  readonly #durations: BucketCounts;
  readonly #waits: BucketCounts;
  readonly #places = new PlacesInUse();
  readonly #timingCostMs: number;

  constructor(limiter: AnyLimiter, parts: ObservedParts, options: MeasureOptions) {
    const { name } = parts;
    const labels = { limiter: name };
    this.times = options.sample;
    this.#limiter = limiter;
    this.#parts = parts;
    this.#options = options;
    this.#acquired = new AcquireCounts(name, options.labels, this.#counted, parts.limiterOf);
    this.#durations = new BucketCounts(DURATION, this.#counted.histogram(DURATION, labels));
    this.#waits = new BucketCounts(WAITED, this.#counted.histogram(WAITED, labels));
    this.#timingCostMs = timingCostMs();
    this.readings = this.#makeReadings();
  }

  decided(call: DecidedCall): void {
    // A limiter's calls come once for each of its keys that is watched.
    if (!call.isFirst(this)) return;
    if (call.corrects) return;
    const { decision } = call;
    this.#acquired.note(call.keys, decision);
    if (!decision.allowed) this.#options.denied?.(decision);
  }

  timed(call: DecidedCall, elapsedMs: number): void {
    if (!call.isFirst(this.#durations)) return;
    const seconds = Math.max(0, elapsedMs - this.#timingCostMs) / 1000;
    this.#durations.add(seconds);
    this.#options.timed?.(seconds);
  }

  waited(us: number): void {
    const seconds = Math.max(0, us) / 1_000_000;
    this.#waits.add(seconds);
    this.#options.waited?.(seconds);
  }

  held(places: Held): void {
    this.#places.add(places, () => readUs(this.#parts.clock));
  }

  #makeReadings(): readonly Reading[] {
    const counted = this.#counted;
    return [
      { metric: ACQUIRED, read: () => counted.numbers(ACQUIRED) },
      { metric: NEAR, read: () => counted.numbers(NEAR) },
      { metric: DURATION, read: () => counted.histograms(DURATION).filter(hasCounted) },
      { metric: TOKENS, read: () => this.#tokens() },
      { metric: WAITED, read: () => counted.histograms(WAITED).filter(hasCounted) },
      { metric: WAITING, read: () => this.#waiting() },
      { metric: PLACES, read: () => this.#placesInUse() },
    ];
  }

  /** A combination's calls wait in the lines of its limiters. */
  #waiting(): readonly NumberValue[] {
    const { name, selection, limiterOf } = this.#parts;
    const all = selection.owners.map(({ name: limiter, lines }) => ({ labels: { limiter }, value: lines.waiting }));
    if (limiterOf !== undefined) return all;
    return all.length === 1 ? [{ labels: { limiter: name }, value: all[0]!.value }] : [];
  }

  #placesInUse(): readonly NumberValue[] {
    const { name, clock, limiterOf } = this.#parts;
    return Array.from(this.#places.byLimit(readUs(clock)), ([limit, value]) => ({
      labels: { limiter: limiterOf?.(limit) ?? name, limit },
      value,
    }));
  }

  /** An error must not fail the scrape of all other metrics. */
  async #tokens(): Promise<readonly NumberValue[]> {
    const { tokensOf } = this.#options;
    if (tokensOf === undefined) return [];
    try {
      const statuses = await Promise.all(
        tokensOf().map(async (key): Promise<readonly LimitStatus[]> => this.#limiter.byKey(key).explain(0)),
      );
      return statuses.flat().map(({ limiter, name, key, remaining }) => ({
        labels: { limiter, limit: name, key },
        value: remaining,
      }));
    } catch (error) {
      warnOfObserver(error);
      return [];
    }
  }
}

function hasCounted({ counts }: HistogramValue): boolean {
  return counts.some((count) => count > 0);
}
