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
import type { MetricsRegistry } from "../metrics/prometheus/registry-output.ts";
import type { AnyLimiter } from "../metrics/readings/limiter-readings.ts";
import { DecisionTrail } from "./decision-trail.ts";
import type { ActAnswer, KeyBar, StoreRow } from "./snapshot.ts";
import {
  type BlockedSourceKey,
  type CountedKey,
  DashboardError,
  type DashboardSource,
  type DescribedLimit,
  type ExplainedKey,
  type Looker,
  type MetricFamily,
  type SourceAct,
  type SourceEvent,
  type SourceKey,
  type SourceState,
  type TrailPage,
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

/** A registry of its own, so that a program needs no prom-client. */
class OwnRegistry implements MetricsRegistry {
  readonly #metrics = new Map<string, { readonly name: string; get(): Promise<object> }>();

  registerMetric(metric: { readonly name: string; get(): Promise<object> }): void {
    this.#metrics.set(metric.name, metric);
  }

  getSingleMetric(name: string): unknown {
    return this.#metrics.get(name);
  }

  async read(): Promise<readonly MetricFamily[]> {
    return (await Promise.all([...this.#metrics.values()].map((metric) => metric.get()))) as MetricFamily[];
  }
}

interface Known {
  readonly hot: HotKeys;
  readonly remove: () => void;
}

/** What a dashboard of limiters shows. Limiters come and go. */
export class LimiterSource implements DashboardSource {
  readonly clock: Clock;
  readonly overridable = false;
  readonly mask: (key: SourceKey) => string;
  readonly #limiters = new Map<AnyLimiter, Known>();
  readonly #registry = new OwnRegistry();
  readonly #trail: DecisionTrail;
  readonly #onAct: (act: SourceAct, looker: Looker) => void;
  #events: SourceEvent[] = [];

  constructor(
    clock: Clock,
    onAct: (act: SourceAct, looker: Looker) => void = () => {},
    mask: (key: SourceKey) => string = ({ key }) => maskedKey(key),
  ) {
    this.clock = clock;
    this.mask = mask;
    this.#onAct = onAct;
    this.#trail = new DecisionTrail(clock);
  }

  /** @throws TollgateError `ERR_NAME` for a limiter without a name. */
  add(limiter: AnyLimiter): () => void {
    const removals = [instrument(limiter, { registry: this.#registry }), this.#trail.add(limiter)];
    const hot = hotKeys(limiter, { top: MOST_HOT, halfLife: "1m" });
    const remove = (): void => {
      this.#limiters.delete(limiter);
      for (const end of [...removals, () => hot.close()]) end();
    };
    this.#limiters.set(limiter, { hot, remove });
    return remove;
  }

  families(): Promise<readonly MetricFamily[]> {
    return this.#registry.read();
  }

  state(): SourceState {
    const limiters = [...this.#limiters.keys()];
    return {
      limits: limiters.flatMap(describeLimits),
      stores: limiters.flatMap(describeStores),
      processes: { ready: 1, of: 1 },
    };
  }

  async hot(): Promise<{ readonly active: readonly CountedKey[]; readonly denied: readonly CountedKey[] }> {
    const all = (list: (hot: HotKeys) => readonly HotKey[]): CountedKey[] =>
      [...this.#limiters]
        .flatMap(([{ name }, { hot }]) => list(hot).map(({ limiter = name, key, count }) => ({ limiter, key, count })))
        .sort((a, b) => b.count - a.count);
    return { active: all((hot) => hot.active()), denied: all((hot) => hot.denied()) };
  }

  async blocked(): Promise<readonly BlockedSourceKey[] | null> {
    const lists = await Promise.allSettled(
      [...this.#limiters.keys()].map(async (limiter) =>
        (await limiter.blocked()).map((key) => ({ limiter: limiter.name, ...key })),
      ),
    );
    const listed = lists.filter((list) => list.status === "fulfilled");
    return listed.length === 0 && lists.length > 0 ? null : listed.flatMap(({ value }) => value);
  }

  async explain(key: SourceKey, cost: number): Promise<ExplainedKey> {
    const handle = this.#handleOf(key);
    const [limits, until] = await Promise.all([handle.explain(cost), handle.blockedUntil()]);
    return { limits: limits.map(barOf), blockedUntilMs: until === undefined ? null : Math.round(until) };
  }

  async trail(key: SourceKey | undefined): Promise<TrailPage> {
    return this.#trail.read(key);
  }

  async act(act: SourceAct, looker: Looker): Promise<ActAnswer> {
    const { action, limiter } = act;
    if (!("key" in act)) throw new DashboardError(501, "expected limits of a limits file, whose modes can be changed");
    const handle = this.#handleOf(act);
    if (action === "reset") await handle.reset();
    else if (action === "unblock") await handle.unblock();
    else if (act.action === "block") {
      const { reason } = act;
      await handle.block(act.for as Duration, reason === undefined ? {} : { reason });
    }
    this.#onAct(act, looker);
    const text = `${action} of ${this.mask(act)}`;
    this.#events.push({ kind: "change", text, limiter, who: looker.who });
    return { text, silent: [] };
  }

  events(): readonly SourceEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  close(): void {
    for (const { remove } of this.#limiters.values()) remove();
  }

  /** @throws DashboardError 404 */
  #handleOf({ limiter: name, key: text }: SourceKey): KeyVerbs {
    const key = decodeKey(text);
    if (key === undefined)
      throw new DashboardError(404, "key: expected a text, or a list of texts, numbers and booleans");
    for (const limiter of this.#limiters.keys()) {
      const parts = observedParts("dashboard", limiter);
      const { members, selection } = parts;
      const isRule = members?.hasLimiter(name) === true;
      // The verbs of a handle are added to its class later, unseen by the compiler.
      if (isRule) return parts.handleOn((into) => selection.selectKeyOf?.(name, text, into)) as unknown as KeyVerbs;
      if (limiter.name === name) return limiter.byKey(key);
    }
    throw new DashboardError(404, "limiter: expected one of the dashboard's");
  }
}

function barOf(status: LimitStatus): KeyBar {
  const { name, unit, capacity, used, remaining, allowed, mode } = status;
  const finite = (ms: number) => (Number.isFinite(ms) ? Math.ceil(ms) : null);
  const [retryAfterMs, resetMs] = [finite(status.retryAfterMs), finite(status.resetMs)];
  return { name, unit, capacity, used, remaining, allowed, mode, retryAfterMs, resetMs };
}

/** The beginning of its SHA-256, by which an operator finds a key that is known. */
function maskedKey(key: string): string {
  return `key-${bytesToHex(sha256(utf8ToBytes(key))).slice(0, MASK_CHARACTERS)}`;
}

/** The limits that a limiter has met, with their numbers. */
function describeLimits(limiter: AnyLimiter): DescribedLimit[] {
  const { selection } = observedParts("dashboard", limiter);
  return selection.spaces().flatMap(({ plan }) =>
    plan.limits.map((limit) => ({
      limiter: plan.limiter,
      limit: limit.name,
      numbers: numbersOf(limit),
      mode: limit.mode,
    })),
  );
}

/**
 * The bounds of a limiter's stores, as far as these tell them. Exported for the `tollgate` command only, whose own
 * source of a dashboard shows them.
 *
 * @internal
 */
export function describeStores(limiter: AnyLimiter): StoreRow[] {
  return observedParts("dashboard", limiter).sources.map(({ opened }) => {
    const { label: name = "custom" } = opened;
    const { maxKeys, bytes, bypass } = opened as { maxKeys?: unknown; bytes?: unknown; bypass?: unknown };
    return {
      name,
      ...(typeof maxKeys === "number" && { maxKeys }),
      ...(typeof bytes === "number" && { bytes }),
      ...(bypass === true && { server: "bypass" as const }),
    };
  });
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
