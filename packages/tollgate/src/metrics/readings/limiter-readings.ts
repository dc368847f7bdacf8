import { readUs } from "../../core/clock.ts";
import type { LimitStatus } from "../../core/decision.ts";
import type { Key } from "../../core/key.ts";
import type { Maybe } from "../../core/maybe-async.ts";
import { warnOfObserver } from "../../core/observer.ts";
import type { AsyncLimiter, Limiter } from "../../limiter/limiter.ts";
import type { ObservedParts } from "../../limiter/observed-parts.ts";
import type { Held } from "../../limiter/reserving/held.ts";
import type { DecidedCall } from "../../limiter/watching/decided-call.ts";
import type { Watcher } from "../../limiter/watching/watch.ts";
import { AcquireCounts } from "./acquire-counts.ts";
import type { CappedLabels } from "./capped-labels.ts";
import type { NumberValue } from "./metric.ts";
import { ACQUIRED, DURATION, NEAR, PLACES, TOKENS, WAITED, WAITING } from "./metrics.ts";
import type { Output, Recorder } from "./output.ts";
import { PlacesInUse } from "./places-in-use.ts";

export type AnyLimiter = Limiter<never> | AsyncLimiter<never>;

/** A key whose units left are shown. In a domain, `limiter` is that of the rule that has the key. */
export interface ShownKey {
  readonly key: Key;
  readonly limiter?: string;
}

interface Explained {
  explain(cost: number): Maybe<LimitStatus[]>;
}

/** How a limiter is measured. */
interface MeasureOptions {
  readonly labels: CappedLabels | undefined;
  readonly tokensOf: (() => readonly ShownKey[]) | undefined;
  readonly sample: number;
}

/** Counts and times the calls of a limiter, for an output. */
export class LimiterReadings implements Watcher {
  readonly times: number;
  readonly removals: readonly (() => void)[];
  readonly #limiter: AnyLimiter;
  readonly #parts: ObservedParts;
  readonly #tokensOf: MeasureOptions["tokensOf"];
  readonly #denied: Output["denied"];
  readonly #acquired: AcquireCounts;
  readonly #durations: Recorder;
  readonly #waits: Recorder;
  readonly #places = new PlacesInUse();

  constructor(limiter: AnyLimiter, parts: ObservedParts, options: MeasureOptions, output: Output) {
    const { name: of, members } = parts;
    this.times = options.sample;
    this.#limiter = limiter;
    this.#parts = parts;
    this.#tokensOf = options.tokensOf;
    this.#denied = output.denied;
    this.#acquired = new AcquireCounts(of, options.labels, members);
    const removals = [
      output.add({ metric: ACQUIRED, read: () => this.#acquired.acquired() }),
      output.add({ metric: NEAR, read: () => this.#acquired.near() }),
      output.add({ metric: TOKENS, read: () => this.#tokens() }),
      output.add({ metric: WAITING, read: () => this.#waiting() }),
      output.add({ metric: PLACES, read: () => this.#placesInUse() }),
    ];
    this.#durations = output.histogram(DURATION, { limiter: of });
    this.#waits = output.histogram(WAITED, { limiter: of });
    this.removals = [...removals, this.#durations.remove, this.#waits.remove];
  }

  decided(call: DecidedCall): void {
    // A limiter's calls come once for each of its keys that is watched.
    if (!call.isFirst(this)) return;
    if (call.corrects) return;
    this.#acquired.note(call);
    if (this.#denied === undefined || call.allowed) return;
    const { decision } = call;
    if (!decision.allowed) this.#denied(decision);
  }

  timed(call: DecidedCall, elapsedMs: number): void {
    if (call.isFirst(this.#durations)) this.#durations.record(elapsedMs / 1_000);
  }

  waited(us: number): void {
    this.#waits.record(Math.max(0, us) / 1_000_000);
  }

  held(places: Held): void {
    this.#places.add(places, () => readUs(this.#parts.clock));
  }

  /** A combination's calls wait in the lines of its limiters. */
  #waiting(): readonly NumberValue[] {
    const { name, selection, members } = this.#parts;
    const all = selection.owners.map(({ name: limiter, lines }) => ({ labels: { limiter }, value: lines.waiting }));
    if (members !== undefined) return all;
    return all.length === 1 ? [{ labels: { limiter: name }, value: all[0]!.value }] : [];
  }

  #placesInUse(): readonly NumberValue[] {
    const { name, clock, members } = this.#parts;
    return Array.from(this.#places.byLimit(readUs(clock)), ([limit, value]) => ({
      labels: { limiter: members?.limiterOf(limit) ?? name, limit },
      value,
    }));
  }

  #handleOf({ key, limiter }: ShownKey): Explained {
    if (limiter === undefined) return this.#limiter.byKey(key);
    const { selection } = this.#parts;
    // The verbs of a handle are added to its class later, unseen by the compiler.
    return this.#parts.handleOn((into) => selection.selectKeyOf?.(limiter, String(key), into)) as Explained;
  }

  /** An error must not fail the scrape of all other metrics. */
  async #tokens(): Promise<readonly NumberValue[]> {
    const tokensOf = this.#tokensOf;
    if (tokensOf === undefined) return [];
    try {
      const statuses = await Promise.all(
        tokensOf().map(async (shown): Promise<readonly LimitStatus[]> => this.#handleOf(shown).explain(0)),
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
