import type { StoreReadings } from "../../core/store-readings.ts";
import type { HistogramMetric, NumberMetric } from "./metric.ts";

/** The name in Prometheus, and the name and the unit in OpenTelemetry. */
type Names = readonly [name: string, otelName: string, unit: string];

function described([name, otelName, unit]: Names, help: string) {
  return { name: `rate_limit_${name}`, otelName: `rate_limit.${otelName}`, unit, help };
}

function counter(names: Names, help: string): NumberMetric {
  return { type: "counter", aggregator: "sum", ...described(names, help) };
}

function gauge(names: Names, help: string, aggregator: NumberMetric["aggregator"] = "sum"): NumberMetric {
  return { type: "gauge", aggregator, ...described(names, help) };
}

function histogram(names: Names, help: string, upTo: readonly number[]): HistogramMetric {
  return { type: "histogram", aggregator: "sum", bounds: upTo, ...described(names, help) };
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
  ["acquire_total", "acquire.count", "{call}"],
  "Calls of rate limiters, by the limit that binds and the result.",
);
export const NEAR: NumberMetric = counter(
  ["near_limit_total", "near_limit.count", "{call}"],
  "Calls that were admitted and left less than 20 % of the limit that binds.",
);
export const DURATION: HistogramMetric = histogram(
  ["acquire_duration_seconds", "acquire.duration", "s"],
  "How long a decision takes. A random sample for stores in the process.",
  CALL_BOUNDS,
);
export const TOKENS: NumberMetric = gauge(
  ["tokens", "tokens", "{unit}"],
  "Whole units left of chosen keys, by limit.",
  "min",
);
export const WAITING: NumberMetric = gauge(["waiting", "wait.active", "{call}"], "Calls that wait for their turn.");
export const WAITED: HistogramMetric = histogram(
  ["wait_seconds", "wait.duration", "s"],
  "How long calls waited for their turn, also those that did not have to.",
  WAIT_BOUNDS,
);
export const PLACES: NumberMetric = gauge(
  ["places_in_use", "place.usage", "{place}"],
  "Places that reservations hold, by limit.",
);
export const REDIS_CALLS: NumberMetric = counter(
  ["redis_calls_total", "redis.call.count", "{call}"],
  "Calls of the script in Redis. One has all calls of a turn of the event loop.",
);
export const REDIS_DURATION: HistogramMetric = histogram(
  ["redis_duration_seconds", "redis.duration", "s"],
  "How long calls of the script in Redis took, also those that failed.",
  REDIS_BOUNDS,
);

export const KEYS: NumberMetric = gauge(["keys", "store.keys", "{key}"], "Keys that a store of the process keeps.");

const BREAKER_NUMBERS = { closed: 0, "half-open": 1, open: 2 } as const;

/** What is shown of a store's readings. */
export const STORE_METRICS: ReadonlyMap<NumberMetric, (readings: StoreReadings) => number | undefined> = new Map([
  [KEYS, ({ keys }) => keys],
  [
    counter(["overflow_total", "store.overflow.count", "{call}"], "Calls whose key got no slot in a store."),
    ({ overflowed }) => overflowed,
  ],
  [
    counter(["swept_total", "store.swept.count", "{key}"], "Idle keys that a store of the process dropped."),
    ({ swept }) => swept,
  ],
  [
    gauge(["blocked", "store.blocked", "{key}"], "Keys that are blocked in a store of the process."),
    ({ blocked }) => blocked,
  ],
  [
    gauge(["breaker_state", "breaker.state", "1"], "Whether calls reach Redis: 0 closed, 1 half-open, 2 open.", "max"),
    ({ breaker }) => breaker && BREAKER_NUMBERS[breaker],
  ],
  [
    counter(["hybrid_asks_total", "hybrid.ask.count", "{request}"], "Calls, renewals and returns that went to Redis."),
    ({ leases }) => leases?.asks,
  ],
  [
    counter(["hybrid_local_total", "hybrid.local.count", "{call}"], "Calls decided without an answer of Redis."),
    ({ leases }) => leases?.decidedLocally,
  ],
  [
    counter(["hybrid_waited_total", "hybrid.waited.count", "{call}"], "Calls that waited for an answer of Redis."),
    ({ leases }) => leases?.waited,
  ],
  [ofLeases("leased", "Units that were taken in advance."), ({ leases }) => leases?.leased],
  [ofLeases("spent", "Units of leases that were spent."), ({ leases }) => leases?.spent],
  [ofLeases("returned", "Units of leases that were given back."), ({ leases }) => leases?.returned],
  [ofLeases("expired", "Units of leases that ended unspent."), ({ leases }) => leases?.expired],
]);

function ofLeases(what: string, help: string): NumberMetric {
  return counter([`hybrid_${what}_units_total`, `hybrid.${what}.count`, "{unit}"], help);
}
