import type { Point, StoreRow } from "./snapshot.ts";
import type { MetricFamily, MetricValue } from "./source.ts";

type Kind = "admitted" | "denied" | "degraded" | "shadow";

/** Calls per second under a limit. */
export type LimitRates = { readonly limiter: string; readonly limit: string } & Record<Kind, number>;

export interface Rates {
  /** `undefined` for the first reading. */
  readonly point: Point | undefined;
  readonly limits: readonly LimitRates[];
  readonly stores: readonly StoreRow[];
}

const KINDS: Readonly<Record<string, Kind>> = {
  allow: "admitted",
  deny: "denied",
  blocked: "denied",
  degraded: "degraded",
  shadow_deny: "shadow",
};
const STORE_FIELDS: Readonly<Record<string, "keys" | "overflowed" | "blocked">> = {
  rate_limit_keys: "keys",
  rate_limit_overflow_total: "overflowed",
  rate_limit_blocked: "blocked",
};
const CIRCUIT = ["up", "probing", "down"] as const;
/** Names of limiters and limits do not contain it. */
const BETWEEN = "\0";
/** Few decisions are timed, so times are those of so many readings. */
const TIMED_READINGS = 10;

/** Turns counters into what happened per second. */
export class RateReader {
  #counts: ReadonlyMap<string, number> = new Map();
  #readMs: number | undefined;
  /** How many decisions took up to each bound, the oldest reading first. */
  readonly #times: ReadonlyMap<number, number>[] = [];

  read(families: readonly MetricFamily[], nowMs: number): Rates {
    const valuesOf = (name: string) => families.find((family) => family.name === name)?.values ?? [];
    const elapsedS = this.#readMs === undefined ? 0 : (nowMs - this.#readMs) / 1_000;
    this.#readMs = nowMs;
    const limits = this.#limits(valuesOf("rate_limit_acquire_total"), elapsedS);
    const [p50Ms = null, p99Ms = null] = this.#percentiles(valuesOf("rate_limit_acquire_duration_seconds"));
    const sum = (kind: Kind) => round(limits.reduce((total, rates) => total + rates[kind], 0));
    const [admitted, denied, degraded, shadow] = [sum("admitted"), sum("denied"), sum("degraded"), sum("shadow")];
    const point = { atMs: Math.round(nowMs), admitted, denied, degraded, shadow, p50Ms, p99Ms };
    return { point: elapsedS > 0 ? point : undefined, limits, stores: storesOf(families) };
  }

  #limits(values: readonly MetricValue[], elapsedS: number): LimitRates[] {
    const counts = new Map<string, number>();
    for (const { labels, value } of values) {
      const id = [labels["limiter"], labels["limit"], labels["result"]].join(BETWEEN);
      counts.set(id, (counts.get(id) ?? 0) + value);
    }
    const rates = new Map<string, LimitRates>();
    for (const [id, count] of counts) {
      const [limiter = "", limit = "", result = ""] = id.split(BETWEEN);
      const kind = KINDS[result];
      if (kind === undefined) continue;
      const row = limiter + BETWEEN + limit;
      const made = rates.get(row) ?? { limiter, limit, admitted: 0, denied: 0, degraded: 0, shadow: 0 };
      rates.set(row, made);
      const before = this.#counts.get(id) ?? 0;
      // A counter that is less than before began again.
      if (elapsedS > 0) made[kind] = round(made[kind] + (count < before ? count : count - before) / elapsedS);
    }
    this.#counts = counts;
    return [...rates.values()];
  }

  #percentiles(values: readonly MetricValue[]): (number | null)[] {
    const upTo = new Map<number, number>();
    for (const { labels, value, metricName } of values) {
      const { le } = labels;
      if (metricName?.endsWith("_bucket") !== true || le === undefined) continue;
      const bound = le === "+Inf" ? Number.POSITIVE_INFINITY : Number(le);
      upTo.set(bound, (upTo.get(bound) ?? 0) + value);
    }
    this.#times.push(upTo);
    const before = this.#times.length > TIMED_READINGS ? this.#times.shift() : this.#times[0];
    const bounds = [...upTo.keys()].sort((a, b) => a - b);
    const counts = bounds.map((bound) => (upTo.get(bound) ?? 0) - (before?.get(bound) ?? 0));
    const total = counts.at(-1) ?? 0;
    if (total <= 0) return [];
    return [0.5, 0.99].map((part) => quantile(bounds, counts, part * total));
  }
}

/** In milliseconds, as if the times of a bucket were spread evenly. */
function quantile(bounds: readonly number[], counts: readonly number[], rank: number): number {
  const at = counts.findIndex((count) => count >= rank);
  const [low = 0, high = 0] = [bounds[at - 1], bounds[at]];
  const [below = 0, upTo = 0] = [counts[at - 1], counts[at]];
  const seconds = Number.isFinite(high) ? low + ((high - low) * (rank - below)) / Math.max(1, upTo - below) : low;
  return Number((seconds * 1_000).toPrecision(3));
}

function storesOf(families: readonly MetricFamily[]): StoreRow[] {
  const stores = new Map<string, { -readonly [Name in keyof StoreRow]: StoreRow[Name] }>();
  for (const { name: metric, values } of families) {
    const field = STORE_FIELDS[metric];
    if (field === undefined && metric !== "rate_limit_breaker_state") continue;
    for (const { labels, value } of values) {
      const name = String(labels["store"]);
      const row = stores.get(name) ?? { name };
      if (field === undefined) row.server = CIRCUIT[value] ?? "down";
      else row[field] = value;
      stores.set(name, row);
    }
  }
  return [...stores.values()];
}

function round(rate: number): number {
  return Math.round(rate * 10) / 10;
}
