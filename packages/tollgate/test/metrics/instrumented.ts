import { Registry } from "prom-client";
import type { AsyncLimiter, Limiter } from "tollgate";
import { type InstrumentOptions, instrument } from "tollgate/metrics";

/** The metrics of a limiter in a registry of their own. */
export function instrumented(
  limiter: Limiter<never> | AsyncLimiter<never>,
  options: Partial<InstrumentOptions> = {},
): { readonly registry: Registry; readonly remove: () => void } {
  const registry = new Registry();
  return { registry, remove: instrument(limiter, { registry, ...options }) };
}
