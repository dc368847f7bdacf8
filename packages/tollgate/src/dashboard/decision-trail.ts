import type { Clock } from "../core/clock.ts";
import { observedParts } from "../limiter/observed-parts.ts";
import type { DecidedCall } from "../limiter/watching/decided-call.ts";
import { keptText } from "../metrics/hot-keys/kept-text.ts";
import type { AnyLimiter } from "../metrics/readings/limiter-readings.ts";
import type { KeyDecision } from "./snapshot.ts";
import type { SourceKey, TrailPage } from "./source.ts";

type TrailEntry = SourceKey & { readonly decision: KeyDecision };

const MOST_DENIED = 20;
const MOST_RECENT = 2_000;
const MOST_DECISIONS = 50;
/** A key that is not asked for is watched for so long. */
const WATCHED_MS = 60_000;

/**
 * Keeps the latest denials, and all decisions of the keys that operators look at. Limiters that are measured tell their
 * decisions anyway, so an admitted call costs a comparison. Its memory is fixed. Exported for the `tollgate` command
 * only, each of whose processes keeps one.
 *
 * @internal
 */
export class DecisionTrail {
  readonly #clock: Clock;
  /** Until when decisions of a key are kept that admit it. */
  readonly #watched = new Map<string, number>();
  /** The latest decisions, oldest first. */
  readonly #recent: TrailEntry[] = [];
  /** The denials since the page before. */
  #denied = new Map<string, TrailEntry>();
  #denials = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a limiter, and returns what removes it. */
  readonly add = (limiter: AnyLimiter): (() => void) =>
    observedParts("dashboard", limiter).watch.addWatcher({
      decided: (call, from, until, rule = limiter.name) => {
        if (call.allowed && this.#watched.size === 0) return;
        const keys = call.keys.slice(from, until);
        if (call.corrects || keys.length === 0) return;
        const key = { limiter: rule, key: keptText(keys.length === 1 ? keys[0]! : JSON.stringify(keys)) };
        if (call.isFirst(this, idOf(key))) this.#note(call, key);
      },
    });

  #note({ allowed, decision }: DecidedCall, key: SourceKey): void {
    const id = idOf(key);
    // A denial of a domain is one of the rule that denied.
    if (allowed ? !this.#watched.has(id) : decision.limiter !== key.limiter) return;
    const { limit, retryAfterMs } = decision;
    const told: KeyDecision = {
      atMs: Math.round(this.#clock.now()),
      allowed,
      ...(!decision.allowed && { reason: decision.reason }),
      ...(limit !== undefined && { limit: limit.name }),
      retryAfterMs: Number.isFinite(retryAfterMs) ? Math.ceil(retryAfterMs) : null,
    };
    const entry = { ...key, decision: told };
    if (this.#recent.push(entry) > 2 * MOST_RECENT) this.#recent.splice(0, MOST_RECENT);
    if (allowed) return;
    this.#denials += 1;
    if (this.#denied.size < MOST_DENIED) this.#denied.set(id, entry);
  }

  read(asked: SourceKey | undefined): TrailPage {
    const nowMs = this.#clock.now();
    for (const [id, untilMs] of this.#watched) if (untilMs < nowMs) this.#watched.delete(id);
    if (asked === undefined) {
      const denied = [...this.#denied.values()].map(({ decision, ...key }) => ({ ...key, ...decision }));
      const page = { decisions: [], denied, denials: this.#denials };
      this.#denied = new Map();
      this.#denials = 0;
      return page;
    }
    const id = idOf({ ...asked, key: keptText(asked.key) });
    this.#watched.set(id, nowMs + WATCHED_MS);
    const own = this.#recent.filter((entry) => idOf(entry) === id);
    const decisions = own.slice(-MOST_DECISIONS).map(({ decision }) => decision);
    return { decisions: decisions.toReversed(), denied: [], denials: 0 };
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
    decisions: decisions.slice(0, MOST_DECISIONS),
    denied: pages.flatMap(({ denied }) => denied).slice(0, MOST_DENIED),
    denials: pages.reduce((sum, { denials }) => sum + denials, 0),
  };
}

export function idOf({ limiter, key }: SourceKey): string {
  return `${limiter}\0${key}`;
}
