import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { Clock } from "../core/clock.ts";
import { type Duration, formatMicroseconds } from "../core/duration.ts";
import { decodeKey } from "../core/key.ts";
import type { Limit } from "../core/limits/limit.ts";
import { observedParts } from "../limiter/observed-parts.ts";
import { instrument } from "../metrics/prometheus/instrument.ts";
import type { AnyLimiter } from "../metrics/readings/limiter-readings.ts";
import { KeyActivity } from "./key-activity.ts";
import { type OperatedKey, operateKey } from "./operate-key.ts";
import type { SourceAct, SourceKey } from "./snapshot.ts";
import {
  DashboardError,
  type DashboardSource,
  type KeyAction,
  type Looker,
  type MetricFamily,
  type SourceEvent,
  type SourceState,
} from "./source.ts";

const MASK_CHARACTERS = 12;

type Metric = { readonly name: string; get(): Promise<object> };

/** What a dashboard of limiters shows. `close` ends what it collects. */
export function limiterSource(
  limiters: readonly AnyLimiter[],
  clock: Clock,
  onAct: ((act: SourceAct, looker: Looker) => void) | undefined,
  mask: DashboardSource["mask"] = ({ key }) => maskedKey(key),
): DashboardSource & { close(): void } {
  const metrics = new Map<string, Metric>();
  // A registry of its own, so that a program needs no prom-client.
  const registry = {
    registerMetric: (metric: Metric) => void metrics.set(metric.name, metric),
    getSingleMetric: (name: string) => metrics.get(name),
  };
  const activity = new KeyActivity(clock);
  const events: SourceEvent[] = [];
  const ends: (() => void)[] = [];
  const close = (): void => {
    for (const end of ends) end();
  };
  try {
    for (const limiter of limiters) ends.push(instrument(limiter, { registry }), activity.add(limiter));
  } catch (error) {
    close();
    throw error;
  }
  return {
    clock,
    mask,
    close,
    families: async () => (await Promise.all([...metrics.values()].map((metric) => metric.get()))) as MetricFamily[],
    state: () => ({ ...describeLimiters(limiters), processes: { ready: 1, of: 1 } }),
    hot: async () => activity.hot(),
    trail: async (key) => activity.trail(key),
    blocked: async () => {
      const listed = limiters.map(async (limiter) =>
        (await limiter.blocked()).map((key) => ({ limiter: limiter.name, ...key })),
      );
      const lists = (await Promise.allSettled(listed)).filter((list) => list.status === "fulfilled");
      return lists.length === 0 && limiters.length > 0 ? null : lists.flatMap(({ value }) => value);
    },
    explain: async (key, cost) => operateKey(handleOf(limiters, key), { verb: "explain", cost }),
    act: async (act, looker) => {
      const { action, limiter, key } = act;
      if (key === undefined)
        throw new DashboardError(501, "expected limits of a limits file, whose modes can be changed");
      await operateKey(handleOf(limiters, { limiter, key }), keyActionOf(act));
      onAct?.(act, looker);
      events.push({ text: action, key: { limiter, key }, who: looker.who });
      return { text: `${action}: done` };
    },
    events: () => events.splice(0),
  };
}

function keyActionOf(act: SourceAct): KeyAction {
  if (act.action === "block") return { verb: "block", span: (act.for ?? "") as Duration, reason: act.reason };
  return { verb: act.action as "reset" | "unblock" };
}

/** @throws DashboardError 404 */
function handleOf(limiters: readonly AnyLimiter[], { limiter: name, key: text }: SourceKey): OperatedKey {
  const key = decodeKey(text);
  if (key === undefined)
    throw new DashboardError(404, "key: expected a text, or a list of texts, numbers and booleans");
  for (const limiter of limiters) {
    const parts = observedParts("dashboard", limiter);
    const { members, selection } = parts;
    // The verbs of a handle are added to its class later, unseen by the compiler.
    if (members?.hasLimiter(name) === true)
      return parts.handleOn((into) => selection.selectKeyOf?.(name, text, into)) as unknown as OperatedKey;
    if (limiter.name === name) return limiter.byKey(key);
  }
  throw new DashboardError(404, "limiter: expected one of the dashboard's");
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
  const span = (ms: number): string => formatMicroseconds(1_000 * ms);
  switch (limit.algorithm) {
    case "token-bucket":
      return `${capacity} ${unit} at once, ${limit.refill} per ${span(limit.perMs)}`;
    case "sliding-window":
    case "fixed-window":
      return `${capacity} ${unit} per ${span(limit.windowMs)}`;
    case "calendar-window":
      return `${capacity} ${unit} per ${limit.window}, ${limit.timeZone}`;
    case "concurrency":
      return `${capacity} at a time`;
    default:
      return limit satisfies never;
  }
}
