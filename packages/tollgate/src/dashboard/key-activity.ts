import type { Clock } from "../core/clock.ts";
import { observedParts } from "../limiter/observed-parts.ts";
import type { DecidedCall } from "../limiter/watching/decided-call.ts";
import { type HotKeys, hotKeys } from "../metrics/hot-keys/hot-keys.ts";
import { keptText } from "../metrics/hot-keys/kept-text.ts";
import type { AnyLimiter } from "../metrics/readings/limiter-readings.ts";
import type { KeyDecision, SourceKey } from "./snapshot.ts";
import type { HotRow, HotRows, SourceEvent, Trail } from "./source.ts";

const MOST_HOT = 20;
const MOST_DENIED = 20;
const MOST_RECENT = 2_000;
const MOST_DECISIONS = 50;
/** A key that is not asked for is watched for so long. */
const WATCHED_MS = 60_000;

/**
 * Counts which keys of limiters are called most, and keeps the latest denials and all decisions of the keys that
 * operators look at. Limiters that are measured tell their decisions anyway, so an admitted call costs a comparison.
 * Its memory is fixed. Exported for the `tollgate` command only, each of whose processes has one.
 *
 * @internal
 */
export class KeyActivity {
  readonly #clock: Clock;
  readonly #hot = new Map<string, HotKeys>();
  /** Until when decisions of a key are kept that admit it. */
  readonly #watched = new Map<string, number>();
  /** The latest decisions, oldest first. */
  readonly #recent: (readonly [id: string, decision: KeyDecision])[] = [];
  /** The keys that were denied since the last question, and how often any was. */
  #denied = new Map<string, SourceEvent>();
  #denials = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a limiter, and returns what removes it. */
  readonly add = (limiter: AnyLimiter): (() => void) => {
    const { name } = limiter;
    const hot = hotKeys(limiter, { top: MOST_HOT });
    this.#hot.set(name, hot);
    const end = observedParts("dashboard", limiter).watch.addWatcher({
      decided: (call, from, until, rule = name) => {
        if (call.allowed && this.#watched.size === 0) return;
        const keys = call.keys.slice(from, until);
        if (call.corrects || keys.length === 0) return;
        const key = { limiter: rule, key: keptText(keys.length === 1 ? keys[0]! : JSON.stringify(keys)) };
        if (call.isFirst(this, idOf(key))) this.#note(call, key);
      },
    });
    return () => {
      hot.close();
      end();
      if (this.#hot.get(name) === hot) this.#hot.delete(name);
    };
  };

  #note({ allowed, decision }: DecidedCall, key: SourceKey): void {
    const id = idOf(key);
    // A denial of a domain is one of the rule that denied.
    if (allowed ? !this.#watched.has(id) : decision.limiter !== key.limiter) return;
    const told: KeyDecision = {
      atMs: Math.round(this.#clock.now()),
      allowed,
      ...(!decision.allowed && { reason: decision.reason }),
      ...(decision.limit !== undefined && { limit: decision.limit.name }),
      retryAfterMs: Math.ceil(decision.retryAfterMs),
    };
    if (this.#recent.push([id, told]) > 2 * MOST_RECENT) this.#recent.splice(0, MOST_RECENT);
    if (allowed) return;
    this.#denials += 1;
    const text = `denied: ${told.reason}${told.limit === undefined ? "" : ` under ${told.limit}`}`;
    if (this.#denied.size < MOST_DENIED) this.#denied.set(id, { text, key });
  }

  /** The keys of one limiter, or of all. */
  hot(limiter?: string): HotRows {
    const counted = [...this.#hot].filter(([name]) => limiter === undefined || name === limiter);
    const rows = (list: keyof HotRows) =>
      counted.flatMap(([name, keys]) => keys[list]().map((key) => ({ limiter: name, ...key })));
    return mergeHot([{ active: rows("active"), denied: rows("denied") }]);
  }

  trail(asked: SourceKey | undefined): Trail {
    const nowMs = this.#clock.now();
    for (const [id, untilMs] of this.#watched) if (untilMs < nowMs) this.#watched.delete(id);
    if (asked === undefined) {
      const more = this.#denials - this.#denied.size;
      const events = [...this.#denied.values(), ...(more > 0 ? [{ text: `${more} more denied` }] : [])];
      this.#denied = new Map();
      this.#denials = 0;
      return { decisions: [], events };
    }
    const id = idOf({ ...asked, key: keptText(asked.key) });
    this.#watched.set(id, nowMs + WATCHED_MS);
    const own = this.#recent.filter(([of]) => of === id).slice(-MOST_DECISIONS);
    return { decisions: own.map(([, decision]) => decision).toReversed(), events: [] };
  }
}

/**
 * What several processes have counted, together. Exported for the `tollgate` command only, which has workers.
 *
 * @internal
 */
export function mergeHot(each: readonly HotRows[]): HotRows {
  const merged = (list: keyof HotRows): HotRow[] => {
    const byKey = new Map<string, HotRow>();
    for (const row of each.flatMap((rows) => rows[list])) {
      const { count = 0, error = 0 } = byKey.get(idOf(row)) ?? {};
      byKey.set(idOf(row), { ...row, count: row.count + count, error: row.error + error });
    }
    return [...byKey.values()].sort((a, b) => b.count - b.error - (a.count - a.error)).slice(0, MOST_HOT);
  };
  return { active: merged("active"), denied: merged("denied") };
}

/**
 * What several processes tell. Exported for the `tollgate` command only, which has workers.
 *
 * @internal
 */
export function mergeTrails(each: readonly Trail[]): Trail {
  const decisions = each.flatMap((trail) => trail.decisions).sort((a, b) => b.atMs - a.atMs);
  return { decisions: decisions.slice(0, MOST_DECISIONS), events: each.flatMap(({ events }) => events) };
}

export function idOf({ limiter, key }: SourceKey): string {
  return `${limiter}\0${key}`;
}
