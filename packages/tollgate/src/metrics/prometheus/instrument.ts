import { checkOptions, optionError } from "../../core/check-options.ts";
import { checkFunction } from "../../core/checks.ts";
import type { Key } from "../../core/key.ts";
import { isMadeHere } from "../../limiter/limiter-mark.ts";
import { observedParts } from "../../limiter/observed-parts.ts";
import type { HotKeys } from "../hot-keys/hot-keys.ts";
import { KeyLabels } from "../readings/key-labels.ts";
import { type AnyLimiter, LimiterReadings } from "../readings/limiter-readings.ts";
import { checkStoreName } from "../readings/store-name.ts";
import type { AnyStore } from "../readings/store-readings.ts";
import { defaultRegistry } from "./default-registry.ts";
import { addStore } from "./instrumented-stores.ts";
import { addReading, type MetricsRegistry } from "./scraped-metric.ts";

export interface InstrumentOptions {
  /**
   * A `Registry` of prom-client: its default `register` unless set. With `false` calls are counted, but not scraped
   * here: for worker threads whose shared store is instrumented in another thread.
   */
  readonly registry?: MetricsRegistry | false | undefined;
  /**
   * Adds a label `key` to the counter: what this function returns of a key. It is meant to return few values; beyond
   * `maxKeyLabels` they become `"other"`.
   */
  readonly keyLabel?: ((key: string) => string) | undefined;
  /** How many values the label `key` has at most, `"other"` apart: 1 to 10,000, 100 by default. */
  readonly maxKeyLabels?: number | undefined;
  /**
   * The keys of `rate_limit_tokens`, asked at each scrape: a function that returns them, or the result of `hotKeys`
   * without `mask`, of which the most denied keys are shown.
   */
  readonly tokensOf?: (() => readonly Key[]) | HotKeys | undefined;
  /**
   * 1 in so many calls is timed, chosen at random: 1 to 10,000, 128 by default. Over an asynchronous store all are.
   */
  readonly sample?: number | undefined;
  /** The label `store`: by default the kind of the store, such as `"memory"`. Stores of one name are added up. */
  readonly storeName?: string | undefined;
}

const NAMES: Readonly<Record<keyof InstrumentOptions, true>> = {
  registry: true,
  keyLabel: true,
  maxKeyLabels: true,
  tokensOf: true,
  sample: true,
  storeName: true,
};
const STORE_NAMES = { registry: true, storeName: true } as const;
const MOST_LABELS = 10_000;
const DEFAULT_LABELS = 100;
const MOST_SAMPLE = 10_000;
const DEFAULT_SAMPLE = 128;
/** Where the default was not found. */
const NO_DEFAULT = "a Registry of prom-client, whose default is not beside the program's main file";

/**
 * Registers metrics of a limiter and its store, or of a store alone, with prom-client. Returns a function that removes
 * them. What each metric means is in docs/observing.md.
 *
 * - Of a limiter: `rate_limit_acquire_total`, `rate_limit_acquire_duration_seconds`, `rate_limit_near_limit_total`,
 *   `rate_limit_tokens`, `rate_limit_waiting`, `rate_limit_wait_seconds` and `rate_limit_places_in_use`. A call of a
 *   combination counts for each of its limiters that is instrumented.
 * - Of its store: `rate_limit_keys`, `rate_limit_overflow_total`, `rate_limit_swept_total`, `rate_limit_blocked`,
 *   `rate_limit_redis_calls_total`, `rate_limit_redis_duration_seconds` and `rate_limit_breaker_state`, as far as the
 *   store knows. A store that several limiters share counts once in a registry.
 *
 * @throws TollgateError `ERR_OPTION`, and what the registry throws if another metric has one of these names.
 * @example
 * ```ts
 * import { Registry } from "prom-client";
 * import { createLimiter, perMinute } from "tollgate";
 * import { instrument } from "tollgate/metrics";
 *
 * const registry = new Registry();
 * const limiter = createLimiter({ name: "api", limits: [perMinute(2)] });
 * instrument(limiter, { registry, tokensOf: () => ["ann"] });
 * for (let call = 0; call < 3; call += 1) limiter.allow("ann");
 *
 * const lines = (await registry.metrics()).split("\n").filter((line) => line.startsWith("rate_limit"));
 * console.log(lines[0]); // rate_limit_acquire_total{limiter="api",limit="2-per-1m",result="allow"} 2
 * console.log(lines[1]); // rate_limit_acquire_total{limiter="api",limit="2-per-1m",result="deny"} 1
 * console.log(lines.find((line) => line.includes("tokens"))); // rate_limit_tokens{limiter="api",limit="2-per-1m",key="ann"} 0
 * ```
 */
export function instrument(limiterOrStore: AnyLimiter | AnyStore, options: InstrumentOptions = {}): () => void {
  return isMadeHere(limiterOrStore)
    ? instrumentLimiter(limiterOrStore as AnyLimiter, options)
    : instrumentStore(limiterOrStore as AnyStore, options);
}

function instrumentStore(store: AnyStore, options: InstrumentOptions): () => void {
  checkOptions("instrument", options, STORE_NAMES);
  const storeName = checkStoreName(options.storeName);
  if (typeof store?.open !== "function") throw optionError("instrument", "a limiter or a store", store);
  const registry = checkRegistry(options.registry);
  return registry === undefined ? () => {} : addStore(registry, store, storeName);
}

function instrumentLimiter(limiter: AnyLimiter, options: InstrumentOptions): () => void {
  checkOptions("instrument", options, NAMES);
  const { keyLabel } = options;
  if (keyLabel !== undefined) checkFunction("keyLabel", keyLabel, "a function from a key to a label");
  const tokensOf = checkTokensOf(options.tokensOf);
  const most = checkCount("maxKeyLabels", options.maxKeyLabels ?? DEFAULT_LABELS, MOST_LABELS);
  const sample = checkCount("sample", options.sample ?? DEFAULT_SAMPLE, MOST_SAMPLE);
  const storeName = checkStoreName(options.storeName);
  const registry = checkRegistry(options.registry);
  const parts = observedParts("instrument", limiter);
  const labels = keyLabel && new KeyLabels(keyLabel, most);
  const measured = new LimiterReadings(limiter, parts, { labels, tokensOf, sample });
  const removals = registry === undefined ? [] : measured.readings.map((reading) => addReading(registry, reading));
  if (registry !== undefined)
    for (const { opened } of parts.sources) removals.push(addStore(registry, opened, storeName));
  removals.push(parts.observers.addMeter(measured));
  return () => {
    for (const remove of removals) remove();
  };
}

function checkTokensOf(tokensOf: InstrumentOptions["tokensOf"]): (() => readonly Key[]) | undefined {
  if (typeof tokensOf === "object" && typeof tokensOf?.denied === "function")
    return () => tokensOf.denied().map(({ key }) => key);
  if (tokensOf !== undefined) checkFunction("tokensOf", tokensOf, "a function that returns keys, or hotKeys(…)");
  return tokensOf as (() => readonly Key[]) | undefined;
}

function checkRegistry(registry: unknown): MetricsRegistry | undefined {
  if (registry === false) return undefined;
  const found = (registry ?? defaultRegistry()) as MetricsRegistry | undefined;
  if (typeof found?.registerMetric === "function") return found;
  throw optionError("registry", registry === undefined ? NO_DEFAULT : "a Registry of prom-client", registry);
}

function checkCount(option: string, count: unknown, most: number): number {
  if (Number.isSafeInteger(count) && (count as number) >= 1 && (count as number) <= most) return count as number;
  throw optionError(option, `a whole number from 1 to ${most}`, count);
}
