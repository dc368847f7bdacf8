import type { Clock } from "../core/clock.ts";
import { observedParts } from "../limiter/observed-parts.ts";
import type { DecidedCall } from "../limiter/watching/decided-call.ts";
import type { Watcher } from "../limiter/watching/watch.ts";
import { keptText } from "../metrics/hot-keys/kept-text.ts";
import type { AnyLimiter } from "../metrics/readings/limiter-readings.ts";
import type { KeyDecision } from "./snapshot.ts";
import type { DeniedKey, SourceKey, TrailPage } from "./source.ts";

interface WatchedKey {
  readonly sinceMs: number;
  askedMs: number;
  readonly decisions: KeyDecision[];
}

const MOST_DENIED = 20;
const MOST_RECENT = 500;
const MOST_WATCHED = 16;
const MOST_DECISIONS = 50;
/** A key that is not asked for is watched for so long. */
const WATCHED_MS = 60_000;

/**
 * Keeps a sample of denials, and the decisions of the keys that operators look at. Limiters that are measured tell
 * their decisions anyway, so an admitted call costs a comparison. Its memory is fixed. Exported for the `tollgate`
 * command only, each of whose processes keeps one.
 *
 * @internal
 */
export class DecisionTrail {
  readonly #clock: Clock;
  readonly #watched = new Map<string, WatchedKey>();
  #denied = new Map<string, DeniedKey & { count: number }>();
  #others = 0;
  /** A ring of the latest denials: what is told of a key that was not watched before. */
  readonly #recent: { readonly id: string; readonly decision: KeyDecision }[] = [];
  #denials = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a limiter, and returns what removes it. */
  readonly add = (limiter: AnyLimiter): (() => void) => {
    const watcher: Watcher = {
      decided: (call, from, until, rule) => {
        if (call.allowed && this.#watched.size === 0) return;
        const keys = call.keys.slice(from, until);
        if (call.corrects || keys.length === 0) return;
        const key = keptText(keys.length === 1 ? keys[0]! : JSON.stringify(keys));
        const id = idOf(rule ?? limiter.name, key);
        if (call.isFirst(this, id)) this.#note(call, rule ?? limiter.name, key, id);
      },
    };
    return observedParts("dashboard", limiter).watch.addWatcher(watcher);
  };

  #note({ allowed, decision }: DecidedCall, limiter: string, key: string, id: string): void {
    // A denial of a domain is one of the rule that denied.
    const isOther = !allowed && decision.limiter !== limiter;
    const watched = this.#watched.get(id);
    if (isOther || (allowed && watched === undefined)) return;
    const { limit, retryAfterMs } = decision;
    const told: KeyDecision = {
      atMs: Math.round(this.#clock.now()),
      allowed,
      ...(!decision.allowed && { reason: decision.reason }),
      ...(limit !== undefined && { limit: limit.name }),
      retryAfterMs: Number.isFinite(retryAfterMs) ? Math.ceil(retryAfterMs) : null,
    };
    if (watched !== undefined && watched.decisions.unshift(told) > MOST_DECISIONS) watched.decisions.pop();
    if (allowed) return;
    this.#recent[this.#denials % MOST_RECENT] = { id, decision: told };
    this.#denials += 1;
    const denied = this.#denied.get(id);
    if (denied !== undefined) denied.count += 1;
    else if (this.#denied.size >= MOST_DENIED) this.#others += 1;
    else this.#denied.set(id, { limiter, key, count: 1, reason: told.reason ?? "", limit: told.limit ?? "" });
  }

  /** What happened since the page before. A key is watched from now on. */
  read(asked: SourceKey | undefined): TrailPage {
    const nowMs = Math.round(this.#clock.now());
    for (const [id, { askedMs }] of this.#watched) if (nowMs - askedMs > WATCHED_MS) this.#watched.delete(id);
    if (asked !== undefined) {
      // The denials since the page before are for the reader that asks for no key.
      const { decisions, sinceMs } = this.#watch(idOf(asked.limiter, keptText(asked.key)), nowMs);
      return { denied: [], others: 0, decisions: [...decisions], watchedSinceMs: sinceMs };
    }
    const page = { denied: [...this.#denied.values()], others: this.#others, decisions: [], watchedSinceMs: nowMs };
    this.#denied = new Map();
    this.#others = 0;
    return page;
  }

  #watch(id: string, nowMs: number): WatchedKey {
    const known = this.#watched.get(id);
    const before = known?.decisions ?? this.#recent.filter((one) => one.id === id).map(({ decision }) => decision);
    const decisions = known?.decisions ?? before.sort((a, b) => b.atMs - a.atMs).slice(0, MOST_DECISIONS);
    const watched: WatchedKey = { sinceMs: known?.sinceMs ?? nowMs, askedMs: nowMs, decisions };
    // The key that was asked for least recently is first.
    this.#watched.delete(id);
    const [oldest] = this.#watched.keys();
    if (oldest !== undefined && this.#watched.size >= MOST_WATCHED) this.#watched.delete(oldest);
    this.#watched.set(id, watched);
    return watched;
  }
}

/**
 * What several processes tell, as one page. Exported for the `tollgate` command only, which has workers.
 *
 * @internal
 */
export function mergeTrails(pages: readonly TrailPage[]): TrailPage {
  const decisions = pages.flatMap((page) => page.decisions).sort((a, b) => b.atMs - a.atMs);
  return {
    denied: pages.flatMap(({ denied }) => denied).slice(0, MOST_DENIED),
    others: pages.reduce((sum, { others }) => sum + others, 0),
    decisions: decisions.slice(0, MOST_DECISIONS),
    // Before the last process began to watch, some are missing.
    watchedSinceMs: Math.max(0, ...pages.map(({ watchedSinceMs }) => watchedSinceMs)),
  };
}

function idOf(limiter: string, key: string): string {
  return `${limiter}\0${key}`;
}
