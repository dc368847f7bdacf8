import type { LimiterSet } from "../limiter-set.ts";
import type { Log } from "../log/log.ts";
import { SampledLog } from "../log/sampled-log.ts";

/** The most lines about limiters that decide without their store, in an interval. */
const MOST = 10;
const INTERVAL_MS = 10_000;

/**
 * Logs which limiters decide without their store: one line for each of them in ten seconds, and one that counts the
 * calls that have no line.
 *
 * @returns a function that ends the logging, and logs what was left out.
 */
export function logDegraded(limiters: LimiterSet, log: Log): () => void {
  const sample = new SampledLog(log, {
    most: MOST,
    intervalMs: INTERVAL_MS,
    leftOut: (count) => ({ level: "warn", event: "degraded-left-out", fields: { count } }),
  });
  // A store of this process is always available.
  const end = limiters.watch((limiter) => {
    if (limiter.kind === "sync") return () => {};
    return limiter.observe(
      (observation) => {
        if (observation.type !== "degradation") return;
        const { limiter: name, cause } = observation;
        sample.note(
          () => name,
          () => ({ level: "warn", event: "degraded", fields: { limiter: name, cause } }),
        );
      },
      { types: ["degradation"] },
    );
  });
  return () => {
    end();
    sample.flush();
  };
}
