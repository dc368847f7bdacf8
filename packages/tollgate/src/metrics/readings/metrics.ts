import type { HistogramMetric, NumberMetric } from "./metric.ts";

// What is measured, by the names that Prometheus scrapes.

function counter(name: string, help: string): NumberMetric {
  return { type: "counter", name, help, aggregator: "sum" };
}

function gauge(name: string, help: string, aggregator: NumberMetric["aggregator"] = "sum"): NumberMetric {
  return { type: "gauge", name, help, aggregator };
}

function histogram(name: string, help: string, upTo: readonly number[]): HistogramMetric {
  return { type: "histogram", name, help, aggregator: "sum", bounds: upTo };
}

/** Bounds from decade to decade, each with these multiples. Written as text, because products would not be exact. */
function bounds(from: number, to: number, multiples: readonly number[]): number[] {
  const made: number[] = [];
  for (let power = from; power < to; power += 1) {
    for (const multiple of multiples) made.push(Number(`${multiple}e${power}`));
  }
  return made;
}

const FINE = [1, 1.5, 2, 3, 4, 6, 8];
const COARSE = [1, 2, 3, 5, 7];

/** From 50 ns to 1 s. Below 10 µs a bound is at most 1.5 times the one before it: there are the calls in a process. */
const CALL_BOUNDS: readonly number[] = [5e-8, 7.5e-8, ...bounds(-7, -5, FINE), ...bounds(-5, 0, COARSE), 1];
const REDIS_BOUNDS: readonly number[] = [...bounds(-4, 0, COARSE), 1, 2, 5, 10];
const WAIT_BOUNDS: readonly number[] = [...bounds(-3, 0, [1, 2, 5]), 1, 2, 5, 10, 30, 60, 300, 900];

export const ACQUIRED: NumberMetric = counter(
  "rate_limit_acquire_total",
  "Calls of rate limiters, by the limit that binds and the result.",
);
export const NEAR: NumberMetric = counter(
  "rate_limit_near_limit_total",
  "Calls that were admitted and left less than 20 % of the limit that binds.",
);
export const DURATION: HistogramMetric = histogram(
  "rate_limit_acquire_duration_seconds",
  "How long a decision takes, without the time that measuring takes. A random sample for stores in the process.",
  CALL_BOUNDS,
);
export const TOKENS: NumberMetric = gauge("rate_limit_tokens", "Whole units left of chosen keys, by limit.", "min");
export const WAITING: NumberMetric = gauge("rate_limit_waiting", "Calls that wait for their turn.");
export const WAITED: HistogramMetric = histogram(
  "rate_limit_wait_seconds",
  "How long calls waited for their turn, also those that did not have to.",
  WAIT_BOUNDS,
);
export const PLACES: NumberMetric = gauge("rate_limit_places_in_use", "Places that reservations hold, by limit.");

export const KEYS: NumberMetric = gauge("rate_limit_keys", "Keys that a store of the process keeps.");
export const OVERFLOWED: NumberMetric = counter(
  "rate_limit_overflow_total",
  "Calls whose key got no slot in a store of the process.",
);
export const SWEPT: NumberMetric = counter("rate_limit_swept_total", "Idle keys that a store of the process dropped.");
export const BLOCKED: NumberMetric = gauge("rate_limit_blocked", "Keys that are blocked in a store of the process.");
export const REDIS_CALLS: NumberMetric = counter(
  "rate_limit_redis_calls_total",
  "Calls of the script in Redis. One has all calls of a turn of the event loop.",
);
export const REDIS_DURATION: HistogramMetric = histogram(
  "rate_limit_redis_duration_seconds",
  "How long calls of the script in Redis took, also those that failed.",
  REDIS_BOUNDS,
);
export const HYBRID_ASKS: NumberMetric = counter(
  "rate_limit_hybrid_asks_total",
  "Requests of a hybrid store to Redis: calls that were asked, renewals and returns. A batch has many.",
);
export const HYBRID_LOCAL: NumberMetric = counter(
  "rate_limit_hybrid_local_total",
  "Calls that a hybrid store decided without an answer of Redis.",
);
export const HYBRID_WAITED: NumberMetric = counter(
  "rate_limit_hybrid_waited_total",
  "Calls that waited in a hybrid store for an answer of Redis.",
);
export const HYBRID_LEASED: NumberMetric = counter(
  "rate_limit_hybrid_leased_units_total",
  "Units that a hybrid store took in advance.",
);
export const HYBRID_SPENT: NumberMetric = counter(
  "rate_limit_hybrid_spent_units_total",
  "Units of leases that a hybrid store spent.",
);
export const HYBRID_RETURNED: NumberMetric = counter(
  "rate_limit_hybrid_returned_units_total",
  "Units of leases that a hybrid store gave back.",
);
export const HYBRID_EXPIRED: NumberMetric = counter(
  "rate_limit_hybrid_expired_units_total",
  "Units of leases of a hybrid store that ended unspent.",
);
export const BREAKER: NumberMetric = gauge(
  "rate_limit_breaker_state",
  "Whether calls reach Redis: 0 closed, 1 half-open, 2 open.",
  "max",
);
