import { optionError } from "../../core/check-options.ts";
import type { AnyLimiter } from "../readings/limiter-readings.ts";
import type { AnyStore } from "../readings/measured-store.ts";
import { checkMeasuringNames, type MeasuringOptions, measure } from "../readings/measuring.ts";
import { defaultRegistry } from "./default-registry.ts";
import { type MetricsRegistry, outputTo } from "./registry-output.ts";

export interface InstrumentOptions extends MeasuringOptions {
  /** A `Registry` of prom-client: its default `register` unless set. */
  readonly registry?: MetricsRegistry | undefined;
}

/** Where the default was not found. */
const NO_DEFAULT = "; npm i prom-client beside the program's main file, or pass { registry }";

/**
 * Registers metrics of a limiter and its store, or of a store alone, with prom-client. Returns a function that removes
 * them. What each metric means is in docs/observing.md.
 *
 * - Of a limiter: `rate_limit_acquire_total`, `rate_limit_acquire_duration_seconds`, `rate_limit_near_limit_total`,
 *   `rate_limit_tokens`, `rate_limit_waiting`, `rate_limit_wait_seconds` and `rate_limit_places_in_use`. A call of a
 *   combination counts for each of its limiters that is instrumented.
 * - Of its store: `rate_limit_keys`, `rate_limit_overflow_total`, `rate_limit_swept_total`, `rate_limit_blocked`,
 *   `rate_limit_redis_calls_total`, `rate_limit_redis_duration_seconds`, `rate_limit_breaker_state` and those of hybrid
 *   stores, `rate_limit_hybrid_*`, as far as the store knows. A store that several limiters share counts once in a
 *   registry.
 *
 * @throws TollgateError `ERR_OPTION` or `ERR_NAME`, and what the registry throws if another metric has one of these
 *   names.
 * @example
 * ```ts
 * import { Registry } from "prom-client";
 * import { createLimiter, perMinute } from "tollgate";
 * import { instrument } from "tollgate/metrics";
 *
 * const registry = new Registry();
 * const limiter = createLimiter({ name: "api", limits: [perMinute(2)] });
 * instrument(limiter, { registry });
 * for (let call = 0; call < 3; call += 1) limiter.allow("ann");
 *
 * const lines = (await registry.metrics()).split("\n").filter((line) => line.startsWith("rate_limit"));
 * console.log(lines[0]); // rate_limit_acquire_total{limiter="api",limit="2-per-1m",result="allow"} 2
 * console.log(lines[1]); // rate_limit_acquire_total{limiter="api",limit="2-per-1m",result="deny"} 1
 * console.log(lines.find((line) => line.includes("keys"))); // rate_limit_keys{store="memory"} 1
 * ```
 */
export function instrument(limiterOrStore: AnyLimiter | AnyStore, options: InstrumentOptions = {}): () => void {
  checkMeasuringNames(limiterOrStore, options, { registry: true });
  return measure(limiterOrStore, options, outputTo(checkRegistry(options.registry)));
}

function checkRegistry(registry: unknown): MetricsRegistry {
  const found = (registry ?? defaultRegistry()) as MetricsRegistry | undefined;
  if (typeof found?.registerMetric === "function") return found;
  throw optionError("registry", "a Registry of prom-client", registry, registry === undefined ? NO_DEFAULT : "");
}
