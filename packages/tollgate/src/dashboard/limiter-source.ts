import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { Clock } from "../core/clock.ts";
import type { LimitStatus } from "../core/decision.ts";
import type { Duration } from "../core/duration.ts";
import { decodeKey } from "../core/key.ts";
import type { Limit } from "../core/limits/limit.ts";
import type { Maybe } from "../core/maybe-async.ts";
import type { BlockOptions, BlockTime } from "../limiter/block-time.ts";
import { observedParts } from "../limiter/observed-parts.ts";
import { type HotKey, type HotKeys, hotKeys } from "../metrics/hot-keys/hot-keys.ts";
import { instrument } from "../metrics/prometheus/instrument.ts";
import type { AnyLimiter } from "../metrics/readings/limiter-readings.ts";
import { DecisionTrail } from "./decision-trail.ts";
import type { KeyBar, SourceAct } from "./snapshot.ts";
import {
  type CountedKeys,
  DashboardError,
  type DashboardSource,
  type Looker,
  type MetricFamily,
  type SourceEvent,
  type SourceKey,
  type SourceState,
} from "./source.ts";

const MOST_HOT = 20;
const MASK_CHARACTERS = 12;

/** The verbs of a handle, whatever the kind of its limiter. */
interface KeyVerbs {
  explain(cost: number): Maybe<LimitStatus[]>;
  blockedUntil(): Maybe<number | undefined>;
  reset(): Maybe<void>;
  block(span: BlockTime, options: BlockOptions): Maybe<void>;
  unblock(): Maybe<boolean>;
}

type Metric = { readonly name: string; get(): Promise<object> };

/** What a dashboard of limiters shows. `close` ends what it collects. */
export function limiterSource(
  limiters: readonly AnyLimiter[],
  clock: Clock,
  onAct: ((act: SourceAct, looker: Looker) => void) | undefined,
  mask: DashboardSource["mask"] = ({ key }) => maskedKey(key),
): DashboardSource & { close(): void } {
  const { metrics, trail, hot, close } = collected(limiters, clock);
  const events: SourceEvent[] = [];
  return {
    clock,
    mask,
    close,
    families: async () => (await Promise.all([...metrics.values()].map((metric) => metric.get()))) as MetricFamily[],
    state: () => ({ ...describeLimiters(limiters), processes: { ready: 1, of: 1 } }),
    hot: async () => ({
      active: ranked(hot, (keys) => keys.active()),
      denied: ranked(hot, (keys) => keys.denied()),
    }),
    blocked: async () => {
      const listed = limiters.map(async (limiter) =>
        (await limiter.blocked()).map((key) => ({ limiter: limiter.name, ...key })),
      );
      const lists = (await Promise.allSettled(listed)).filter((list) => list.status === "fulfilled");
      return lists.length === 0 && limiters.length > 0 ? null : lists.flatMap(({ value }) => value);
    },
    explain: async (key, cost) => {
      const handle = handleOf(limiters, key);
      const [limits, until] = await Promise.all([handle.explain(cost), handle.blockedUntil()]);
      return { limits: limits.map(barOf), blockedUntilMs: until === undefined ? null : Math.round(until) };
    },
    trail: async (key) => trail.read(key),
    act: async (act, looker) => {
      const { action, limiter, key, reason } = act;
      if (key === undefined)
        throw new DashboardError(501, "expected limits of a limits file, whose modes can be changed");
      const handle = handleOf(limiters, { limiter, key });
      if (action === "reset") await handle.reset();
      else if (action === "unblock") await handle.unblock();
      else await handle.block((act.for ?? "") as Duration, reason === undefined ? {} : { reason });
      onAct?.(act, looker);
      const text = `${action} of ${mask({ limiter, key })}`;
      events.push({ text, limiter, who: looker.who });
      return { text, silent: [] };
    },
    events: () => events.splice(0),
  };
}

/** What is counted of the decisions of limiters from now on. */
function collected(limiters: readonly AnyLimiter[], clock: Clock) {
  const metrics = new Map<string, Metric>();
  // A registry of its own, so that a program needs no prom-client.
  const registry = {
    registerMetric: (metric: Metric) => void metrics.set(metric.name, metric),
    getSingleMetric: (name: string) => metrics.get(name),
  };
  const trail = new DecisionTrail(clock);
  const hot: (readonly [limiter: string, keys: HotKeys])[] = [];
  const ends: (() => void)[] = [];
  const close = (): void => {
    for (const end of ends) end();
  };
  try {
    for (const limiter of limiters) {
      ends.push(instrument(limiter, { registry }), trail.add(limiter));
      const keys = hotKeys(limiter, { top: MOST_HOT, halfLife: "1m" });
      hot.push([limiter.name, keys]);
      ends.push(() => keys.close());
    }
  } catch (error) {
    close();
    throw error;
  }
  return { metrics, trail, hot, close };
}

/** A list of the hot keys of all limiters, the most counted first. */
function ranked(
  hot: readonly (readonly [limiter: string, keys: HotKeys])[],
  list: (keys: HotKeys) => readonly HotKey[],
): CountedKeys {
  return hot
    .flatMap(([name, keys]) => list(keys).map(({ limiter = name, key, count }) => ({ limiter, key, count })))
    .sort((a, b) => b.count - a.count);
}

/** @throws DashboardError 404 */
function handleOf(limiters: readonly AnyLimiter[], { limiter: name, key: text }: SourceKey): KeyVerbs {
  const key = decodeKey(text);
  if (key === undefined)
    throw new DashboardError(404, "key: expected a text, or a list of texts, numbers and booleans");
  for (const limiter of limiters) {
    const parts = observedParts("dashboard", limiter);
    const { members, selection } = parts;
    // The verbs of a handle are added to its class later, unseen by the compiler.
    if (members?.hasLimiter(name) === true)
      return parts.handleOn((into) => selection.selectKeyOf?.(name, text, into)) as unknown as KeyVerbs;
    if (limiter.name === name) return limiter.byKey(key);
  }
  throw new DashboardError(404, "limiter: expected one of the dashboard's");
}

function barOf({ name, unit, capacity, used, allowed, mode, ...status }: LimitStatus): KeyBar {
  const finite = (ms: number) => (Number.isFinite(ms) ? Math.ceil(ms) : null);
  const [retryAfterMs, resetMs] = [finite(status.retryAfterMs), finite(status.resetMs)];
  return { name, unit, capacity, used, allowed, mode, retryAfterMs, resetMs };
}

/** The beginning of its SHA-256, by which an operator finds a key that is known. */
function maskedKey(key: string): string {
  return `key-${bytesToHex(sha256(utf8ToBytes(key))).slice(0, MASK_CHARACTERS)}`;
}

/**
 * The limits that limiters have met, with their numbers, and the bounds of their stores, as far as these tell them.
 * Exported for the `tollgate` command only, whose own source of a dashboard shows them.
 *
 * @internal
 */
export function describeLimiters(limiters: readonly AnyLimiter[]): Pick<SourceState, "limits" | "stores"> {
  const parts = limiters.map((limiter) => observedParts("dashboard", limiter));
  const plans = parts.flatMap(({ selection }) => selection.spaces().map(({ plan }) => plan));
  return {
    limits: plans.flatMap(({ limiter, limits }) =>
      limits.map((limit) => ({ limiter, limit: limit.name, numbers: numbersOf(limit), mode: limit.mode })),
    ),
    stores: parts.flatMap(({ sources }) =>
      sources.map(({ opened }) => {
        const { label: name = "custom" } = opened;
        const { maxKeys, bytes, bypass } = opened as { maxKeys?: unknown; bytes?: unknown; bypass?: unknown };
        return {
          name,
          ...(typeof maxKeys === "number" && { maxKeys }),
          ...(typeof bytes === "number" && { bytes }),
          ...(bypass === true && { server: "bypass" as const }),
        };
      }),
    ),
  };
}

function numbersOf(limit: Limit): string {
  const { capacity, unit } = limit;
  switch (limit.algorithm) {
    case "token-bucket":
      return `${capacity} ${unit} at once, ${limit.refill} per ${spanOf(limit.perMs)}`;
    case "sliding-window":
    case "fixed-window":
      return `${capacity} ${unit} per ${spanOf(limit.windowMs)}`;
    case "calendar-window":
      return `${capacity} ${unit} per ${limit.window}, ${limit.timeZone}`;
    case "concurrency":
      return `${capacity} at a time`;
    default:
      return limit satisfies never;
  }
}

const SPANS: readonly (readonly [unit: string, ms: number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
];

function spanOf(ms: number): string {
  const [unit, unitMs] = SPANS.find(([, size]) => ms % size === 0) ?? ["ms", 1];
  return `${ms / unitMs}${unit}`;
}
