import type { CallRates, Point, StoreRow } from "./snapshot.ts";
import type { MetricFamily } from "./source.ts";

type Counts = { -readonly [Kind in keyof CallRates]: number };
type Values = MetricFamily["values"];

const KINDS: Readonly<Record<string, keyof CallRates>> = {
  allow: "admitted",
  deny: "denied",
  blocked: "denied",
  degraded: "degraded",
  shadow_deny: "shadow",
};
export const NO_CALLS: CallRates = { admitted: 0, denied: 0, degraded: 0, shadow: 0 };
const STORE_FIELDS: Readonly<Record<string, "keys" | "overflowed" | "blocked" | "server">> = {
  rate_limit_keys: "keys",
  rate_limit_overflow_total: "overflowed",
  rate_limit_blocked: "blocked",
  rate_limit_breaker_state: "server",
};
const CIRCUIT = ["up", "probing", "down"] as const;
/** Few decisions are timed, so times are those of so many readings. */
const TIMED_READINGS = 10;

export function limitId(limiter: unknown, limit: unknown): string {
  return `${String(limiter)}\0${String(limit)}`;
}

export interface Rates {
  /** `undefined` for the first reading. */
  readonly point: Point | undefined;
  /** By limit. */
  readonly limits: ReadonlyMap<string, CallRates>;
}

/** Turns counters into what happened per second. */
export class RateReader {
  #counts: ReadonlyMap<string, CallRates> | undefined;
  #readMs = 0;
  /** How many decisions took up to each bound, the oldest reading first. */
  readonly #times: ReadonlyMap<number, number>[] = [];

  read(families: readonly MetricFamily[], nowMs: number): Rates {
    const valuesOf = (name: string): Values => families.find((family) => family.name === name)?.values ?? [];
    const counts = countsOf(valuesOf("rate_limit_acquire_total"));
    const [p50Ms = null, p99Ms = null] = this.#percentiles(valuesOf("rate_limit_acquire_duration_seconds"));
    const before = this.#counts;
    const seconds = (nowMs - this.#readMs) / 1_000;
    this.#counts = counts;
    this.#readMs = nowMs;
    const limits = new Map<string, CallRates>();
    const sum = { ...NO_CALLS };
    if (before === undefined || seconds <= 0) return { limits, point: undefined };
    for (const [id, now] of counts) {
      const rates = { ...NO_CALLS };
      for (const kind of Object.keys(NO_CALLS) as (keyof CallRates)[]) {
        rates[kind] = tenths((now[kind] - (before.get(id)?.[kind] ?? 0)) / seconds);
        sum[kind] = tenths(sum[kind] + rates[kind]);
      }
      limits.set(id, rates);
    }
    const point: Point = { atMs: Math.round(nowMs), ...sum, p50Ms, p99Ms };
    return { limits, point };
  }

  #percentiles(values: Values): number[] {
    const upTo = new Map<number, number>();
    for (const { labels, value, metricName } of values) {
      const { le } = labels;
      if (metricName?.endsWith("_bucket") !== true) continue;
      const bound = le === "+Inf" ? Number.POSITIVE_INFINITY : Number(le);
      upTo.set(bound, (upTo.get(bound) ?? 0) + value);
    }
    this.#times.push(upTo);
    const before = this.#times.length > TIMED_READINGS ? this.#times.shift() : this.#times[0];
    const bounds = [...upTo.keys()].sort((a, b) => a - b);
    const counts = bounds.map((bound) => (upTo.get(bound) ?? 0) - (before?.get(bound) ?? 0));
    const total = counts.at(-1) ?? 0;
    const longestSeconds = bounds.at(-2) ?? 0;
    if (total <= 0) return [];
    return [0.5, 0.99].map((part) => {
      const bound = bounds[counts.findIndex((count) => count >= part * total)] ?? 0;
      return Number((1_000 * Math.min(bound, longestSeconds)).toPrecision(3));
    });
  }
}

function countsOf(values: Values): ReadonlyMap<string, CallRates> {
  const counts = new Map<string, Counts>();
  for (const { labels, value } of values) {
    const kind = KINDS[labels["result"] ?? ""];
    if (kind === undefined) continue;
    const id = limitId(labels["limiter"], labels["limit"]);
    const row = counts.get(id) ?? { ...NO_CALLS };
    row[kind] += value;
    counts.set(id, row);
  }
  return counts;
}

/** What metrics tell of stores. */
export function storesOf(families: readonly MetricFamily[]): StoreRow[] {
  const stores = new Map<string, { -readonly [Name in keyof StoreRow]: StoreRow[Name] }>();
  for (const { name: metric, values } of families) {
    const field = STORE_FIELDS[metric];
    for (const { labels, value } of field === undefined ? [] : values) {
      const name = String(labels["store"]);
      const row = stores.get(name) ?? { name };
      if (field === "server") row.server = CIRCUIT[value] ?? "down";
      else if (field !== undefined) row[field] = value;
      stores.set(name, row);
    }
  }
  return [...stores.values()];
}

/** A counter that is less than before has begun again. */
function tenths(rate: number): number {
  return Math.round(Math.max(0, rate) * 10) / 10;
}
