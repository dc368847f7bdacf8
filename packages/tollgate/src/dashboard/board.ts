import { idOf } from "./key-activity.ts";
import { isCut, KeyNames } from "./key-names.ts";
import { Lookers } from "./lookers.ts";
import { limitId, NO_CALLS, RateReader, type Rates, storesOf } from "./rates.ts";
import type { CallRates, KeyDetail, KeyFacts, NamedKey, Point, Snapshot, SourceKey, StoreRow } from "./snapshot.ts";
import type { DashboardSource, KeyResult, Looker, SourceEvent } from "./source.ts";

const TICK_MS = 1_000;
const MOST_POINTS = 3_600;
const MOST_LIMITS = 200;
const MOST_BLOCKED = 20;
const MOST_EVENTS = 200;
/** How much of a key a detail shows. */
const MOST_KEY = 16_384;

/** A key of the lists before it is named, which depends on the looker. */
type ListedKey = SourceKey & KeyFacts;
type OwnEvent = SourceEvent & { readonly id: number; readonly atMs: number };

/** Reads a source once a second, keeps its history, and tells all lookers. */
export class Board {
  readonly #source: DashboardSource;
  readonly #reader = new RateReader();
  readonly #lookers = new Lookers();
  readonly #names: KeyNames;
  readonly #onError: (error: unknown) => void;
  readonly #points: Point[] = [];
  readonly #events: OwnEvent[] = [];
  #eventId = 0;
  #rates: Rates["limits"] = new Map();
  #stores: readonly StoreRow[] = [];
  /** The states of servers that were seen last. A probe changes nothing yet. */
  readonly #servers = new Map<string, StoreRow["server"]>();
  #keys: readonly ListedKey[] = [];
  #listsBlocked = true;
  #cancel: () => void;
  #isClosed = false;

  constructor(source: DashboardSource, onError: (error: unknown) => void) {
    this.#source = source;
    this.#onError = onError;
    this.#names = new KeyNames(source);
    this.#cancel = this.#later();
  }

  /** The snapshots of a looker, the first of which has what happened before. @throws DashboardError 429 */
  async look({ who, access }: Looker, isShown: boolean): Promise<ReadableStream<Uint8Array>> {
    // The lists of other lookers are of this second.
    if (this.#lookers.count === 0) await this.#list();
    const first = this.#snapshot(isShown, this.#points, this.#events);
    return this.#lookers.add({ access, ...first }, this.#source.clock.now(), who, isShown);
  }

  async detail(key: SourceKey, cost: number, isShown: boolean): Promise<KeyDetail> {
    const [explained, { decisions }] = await Promise.all([this.#source.explain(key, cost), this.#source.trail(key)]);
    const { limits = [], blockedUntilMs = null } = explained;
    const verdict = verdictOf(explained, this.#source.clock.now());
    return { ...this.#names.name(key, isShown, MOST_KEY), limits, blockedUntilMs, ...verdict, decisions };
  }

  /** @throws DashboardError 404 */
  find(named: NamedKey): SourceKey {
    return this.#names.find(named);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
    this.#lookers.close();
  }

  #later(): () => void {
    const { clock } = this.#source;
    const tick = () => void this.#turn();
    if (clock.schedule !== undefined) return clock.schedule(tick, TICK_MS);
    const timer = setTimeout(tick, TICK_MS);
    timer.unref?.();
    return () => clearTimeout(timer);
  }

  async #turn(): Promise<void> {
    await this.#tick().catch(this.#onError);
    if (!this.#isClosed) this.#cancel = this.#later();
  }

  async #tick(): Promise<void> {
    const [families, trail] = await Promise.all([
      this.#source.families(),
      this.#source.trail(undefined),
      this.#lookers.count > 0 && this.#list(),
    ]);
    const nowMs = this.#source.clock.now();
    const { point, limits } = this.#reader.read(families, nowMs);
    this.#rates = limits;
    this.#stores = storesOf(families);
    const happened = [...trail.events, ...this.#serverEvents(), ...this.#source.events()];
    const events = happened.map((event) => ({ ...event, id: ++this.#eventId, atMs: Math.round(nowMs) }));
    const points = point === undefined ? [] : [point];
    keep(this.#events, events, MOST_EVENTS);
    keep(this.#points, points, MOST_POINTS);
    this.#lookers.send(nowMs, (isShown) => this.#snapshot(isShown, points, events));
  }

  #snapshot(isShown: boolean, points: readonly Point[], events: readonly OwnEvent[]): Omit<Snapshot, "access"> {
    const { limits, stores, ...state } = this.#source.state();
    const rows = limits.map((row) => ({ ...row, ...(this.#rates.get(limitId(row.limiter, row.limit)) ?? NO_CALLS) }));
    return {
      ...state,
      points,
      limits: rows.sort((a, b) => callsOf(b) - callsOf(a)).slice(0, MOST_LIMITS),
      stores: this.#stores.map((store) => ({ ...store, ...stores.find(({ name }) => name === store.name) })),
      keys: this.#keys.map((row) => ({ ...row, ...this.#names.name(row, isShown) })),
      listsBlocked: this.#listsBlocked,
      events: events.map(({ key, ...event }) =>
        key === undefined ? event : { ...event, key: this.#names.name(key, isShown) },
      ),
    };
  }

  #serverEvents(): SourceEvent[] {
    return this.#stores.flatMap(({ name, server }) => {
      if (server === undefined || server === "probing") return [];
      const before = this.#servers.get(name) ?? server;
      this.#servers.set(name, server);
      return before === server ? [] : [{ text: `${name} is ${server}` }];
    });
  }

  /** Reads the lists. */
  async #list(): Promise<void> {
    const [{ active, denied }, blocked] = await Promise.all([this.#source.hot(), this.#source.blocked()]);
    const nowMs = this.#source.clock.now();
    const rows = new Map<string, ListedKey>();
    const add = ({ limiter, key }: SourceKey, facts: KeyFacts): void => {
      const id = idOf({ limiter, key });
      rows.set(id, { limiter, key, ...rows.get(id), ...facts });
    };
    for (const row of active) add(row, { calls: row.count });
    for (const row of denied) add(row, { denials: row.count });
    const longest = blocked?.toSorted((a, b) => b.endsInMs - a.endsInMs).slice(0, MOST_BLOCKED) ?? [];
    for (const row of longest) add(row, { reason: row.reason ?? "", untilMs: Math.round(nowMs + row.endsInMs) });
    const keys = await Promise.all([...rows.values()].map((row) => this.#explained(row)));
    this.#keys = keys.sort((a, b) => urgency(b) - urgency(a));
    this.#listsBlocked = blocked !== null;
  }

  /** A key that cannot be explained has its counts alone, such as one of a rule that is gone, or one that was cut. */
  async #explained(row: ListedKey): Promise<ListedKey> {
    const explained = isCut(row.key) ? {} : await this.#source.explain(row, 1).catch((): KeyResult => ({}));
    const { limits = [] } = explained;
    if (limits.length === 0) return row;
    const nowMs = this.#source.clock.now();
    const { allowed, retryAfterMs } = verdictOf(explained, nowMs);
    const used = Math.max(0, ...limits.map((bar) => bar.used / bar.capacity));
    return { ...row, used: Number(used.toFixed(3)), ...(!allowed && { untilMs: Math.round(nowMs + retryAfterMs) }) };
  }
}

/** Shadow limits deny nothing. */
function verdictOf({ limits = [], blockedUntilMs = null }: KeyResult, nowMs: number) {
  const denying = limits.filter(({ allowed, mode }) => !allowed && mode === "enforce");
  const waits = denying.map(({ retryAfterMs }) => retryAfterMs ?? Number.POSITIVE_INFINITY);
  if (blockedUntilMs !== null) waits.push(Math.max(0, blockedUntilMs - nowMs));
  return { allowed: waits.length === 0, retryAfterMs: Math.max(0, ...waits) };
}

function callsOf({ admitted, denied, shadow }: CallRates): number {
  return admitted + denied + shadow;
}

/** Keys that are limited come first, the most denied ones before others, then those that are close to a limit. */
function urgency({ untilMs, denials = 0, used = 0 }: KeyFacts): number {
  return untilMs === undefined ? Math.min(1, used) : 2 + denials;
}

/** Adds what is latest, and drops what is oldest. */
function keep<One>(all: One[], latest: readonly One[], most: number): void {
  all.push(...latest);
  all.splice(0, all.length - most);
}
