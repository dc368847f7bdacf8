import { checkOptions, optionError } from "../../core/check-options.ts";
import { checkFunction } from "../../core/checks.ts";
import type { LimitStatus } from "../../core/decision.ts";
import type { Key } from "../../core/key.ts";
import { warnOfObserver } from "../../core/observer.ts";
import type { AsyncLimiter } from "../../limiter/async-limiter.ts";
import type { Limiter } from "../../limiter/limiter.ts";
import { observedParts } from "../../limiter/observed-parts.ts";
import { ACQUIRED, AcquireCounter } from "./acquire-counter.ts";
import { KeyLabels } from "./key-labels.ts";
import { addSource, type MetricDescription, type MetricsRegistry, type MetricValue } from "./scraped-metric.ts";

export interface InstrumentOptions {
  /** A `Registry` of prom-client, such as its default `register`. */
  readonly registry: MetricsRegistry;
  /**
   * Adds a label `key` to the counter: what this function returns of a key. It is meant to return few values; beyond
   * `maxKeyLabels` they become `"other"`.
   */
  readonly keyLabel?: ((key: string) => string) | undefined;
  /** How many values the label `key` has at most, `"other"` apart: 1 to 10,000, 100 by default. */
  readonly maxKeyLabels?: number | undefined;
  /** The keys of `rate_limit_tokens`, asked at each scrape. */
  readonly tokensOf?: (() => readonly Key[]) | undefined;
}

const NAMES: Readonly<Record<keyof InstrumentOptions, true>> = {
  registry: true,
  keyLabel: true,
  maxKeyLabels: true,
  tokensOf: true,
};
const MOST_LABELS = 10_000;
const DEFAULT_LABELS = 100;

const TOKENS: MetricDescription = {
  name: "rate_limit_tokens",
  help: "Whole units left of chosen keys, by limit.",
  type: "gauge",
};

/**
 * Registers metrics of a limiter with prom-client. Returns a function that removes the limiter from them.
 *
 * - `rate_limit_acquire_total{limiter, limit, result}` counts each call exactly, under the limit that binds. `result`
 *   is `allow`, `deny`, `blocked`, or `degraded` for a call that was decided without the store; each call has one.
 *   `shadow_deny` comes in addition, for each shadow limit that would have denied. A call of a combination counts for
 *   each of its limiters that is instrumented, under the limit that binds in the combination.
 * - `rate_limit_tokens{limiter, limit, key}` has the units left of the keys of `tokensOf`. They are explained when the
 *   registry is scraped, which creates no key. A combination has none.
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
 * console.log(lines[2]); // rate_limit_tokens{limiter="api",limit="2-per-1m",key="ann"} 0
 * ```
 */
export function instrument(limiter: Limiter<never> | AsyncLimiter<never>, options: InstrumentOptions): () => void {
  checkOptions("instrument", options, NAMES);
  const { registry, keyLabel, tokensOf } = options;
  checkFunction("registry.registerMetric", registry?.registerMetric, "a Registry of prom-client");
  if (keyLabel !== undefined) checkFunction("keyLabel", keyLabel, "a function from a key to a label");
  if (tokensOf !== undefined) checkFunction("tokensOf", tokensOf, "a function that returns keys");
  const labels = keyLabel && new KeyLabels(keyLabel, checkMost(options.maxKeyLabels ?? DEFAULT_LABELS));
  const { name, observers, selection } = observedParts("instrument", limiter);
  const counter = new AcquireCounter(name, selection.fixed?.list().onlyLimit?.name ?? "", labels);
  const removals = [
    addSource(registry, ACQUIRED, () => counter.values()),
    addSource(registry, TOKENS, () => (tokensOf === undefined ? [] : tokensOfKeys(limiter, tokensOf))),
    observers.addMeter(counter),
  ];
  return () => {
    for (const remove of removals) remove();
  };
}

function checkMost(most: unknown): number {
  if (Number.isSafeInteger(most) && (most as number) >= 1 && (most as number) <= MOST_LABELS) return most as number;
  throw optionError("maxKeyLabels", `a whole number from 1 to ${MOST_LABELS}`, most);
}

/** An error must not fail the scrape of all other metrics. */
async function tokensOfKeys(
  limiter: Limiter<never> | AsyncLimiter<never>,
  keysOf: () => readonly Key[],
): Promise<MetricValue[]> {
  try {
    const statuses = await Promise.all(
      keysOf().map(async (key): Promise<readonly LimitStatus[]> => limiter.byKey(key).explain(0)),
    );
    return statuses.flat().map(({ limiter: name, name: limit, key, remaining }) => ({
      labels: { limiter: name, limit, key },
      value: remaining,
    }));
  } catch (error) {
    warnOfObserver(error);
    return [];
  }
}
