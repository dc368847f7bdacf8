import { idOf } from "./decision-trail.ts";
import { isCut, KeyNames } from "./key-names.ts";
import { eventText, Lookers } from "./lookers.ts";
import { limitId, NO_CALLS, RateReader, storesOf } from "./rates.ts";
import type {
  CallRates,
  DashboardEvent,
  KeyDetail,
  KeyRow,
  NamedKey,
  Point,
  Snapshot,
  StoreRow,
  Welcome,
} from "./snapshot.ts";
import type { DashboardSource, ExplainedKey, Looker, SourceEvent, SourceKey } from "./source.ts";

const TICK_MS = 1_000;
const MOST_POINTS = 3_600;
const MOST_LIMITS = 200;
const MOST_KEYS = 20;
const MOST_EVENTS = 200;
/** How much of a key a detail shows. */
const MOST_KEY = 16_384;

/** Keys of the lists and of events before they are named, which depends on the looker. */
type ListedKey = Omit<KeyRow, "id">;
type OwnEvent = Omit<DashboardEvent, "key" | "keyId"> & { readonly of?: SourceKey | undefined };

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
  /** The last event that a snapshot had, or that came while no page looked. */
  #toldId = 0;
  /** The states of servers that were seen last. A probe changes nothing yet. */
  readonly #servers = new Map<string, StoreRow["server"]>();
  #keys: readonly ListedKey[] = [];
  #blocked: readonly ListedKey[] | null = [];
  #isListing = false;
  #cancel: () => void;
  #isClosed = false;

  constructor(source: DashboardSource, onError: (error: unknown) => void) {
    this.#source = source;
    this.#onError = onError;
    this.#names = new KeyNames(source);
    this.#cancel = this.#later();
  }

  /** The events of a looker, the first of which says what happened before. @throws DashboardError 429 */
  look({ who, access }: Looker, isShown: boolean): ReadableStream<Uint8Array> {
    const events = this.#events.map((event) => this.#named(event, isShown));
    const welcome: Welcome = { access, who, keys: isShown ? "shown" : "masked", points: this.#points, events };
    return this.#lookers.add(eventText("welcome", welcome), this.#source.clock.now(), who, isShown);
  }

  async detail(key: SourceKey, cost: number, isShown: boolean): Promise<KeyDetail> {
    const [explained, { decisions }] = await Promise.all([this.#source.explain(key, cost), this.#source.trail(key)]);
    const { isAllowed: allowed, retryAfterMs } = verdictOf(explained, this.#source.clock.now());
    return { ...this.#names.name(key, isShown, MOST_KEY), ...explained, allowed, retryAfterMs, decisions };
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
    const [families, trail] = await Promise.all([this.#source.families(), this.#source.trail(undefined)]);
    const nowMs = this.#source.clock.now();
    const { point, limits } = this.#reader.read(families, nowMs);
    const stores = storesOf(families);
    for (const { limiter, key, reason, limit } of trail.denied)
      this.#add(
        { text: `denied: ${reason}${limit === undefined ? "" : ` under ${limit}`}`, limiter },
        { limiter, key },
      );
    const untold = trail.denials - trail.denied.length;
    if (untold > 0) this.#add({ text: `${untold} more denied` });
    this.#noteServers(stores);
    for (const event of this.#source.events()) this.#add(event);
    if (point === undefined) return;
    if (this.#points.push(point) > MOST_POINTS) this.#points.shift();
    const fresh = this.#events.filter(({ id }) => id > this.#toldId);
    this.#toldId = this.#eventId;
    if (this.#lookers.count === 0 || this.#isClosed) return;
    void this.#list().catch(this.#onError);
    const state = this.#source.state();
    const rows = state.limits.map((row) => ({ ...row, ...(limits.get(limitId(row.limiter, row.limit)) ?? NO_CALLS) }));
    const told = {
      ...state,
      point,
      stores: stores.map((store) => ({ ...store, ...state.stores.find(({ name }) => name === store.name) })),
      limits: rows.sort((a, b) => callsOf(b) - callsOf(a)).slice(0, MOST_LIMITS),
    };
    this.#lookers.send(nowMs, (isShown) => {
      const named = (keys: readonly ListedKey[]) => keys.map((row) => ({ ...row, ...this.#names.name(row, isShown) }));
      const keys = { keys: named(this.#keys), blocked: this.#blocked && named(this.#blocked) };
      const events = fresh.map((event) => this.#named(event, isShown));
      return eventText("snapshot", { ...told, ...keys, events } satisfies Snapshot);
    });
  }

  #named({ of, ...event }: OwnEvent, isShown: boolean): DashboardEvent {
    if (of === undefined) return event;
    const { key, id: keyId } = this.#names.name(of, isShown);
    return { ...event, key, keyId };
  }

  #add(event: SourceEvent, of?: SourceKey): void {
    this.#eventId += 1;
    this.#events.push({ ...event, of, id: this.#eventId, atMs: Math.round(this.#source.clock.now()) });
    if (this.#events.length > MOST_EVENTS) this.#events.shift();
  }

  #noteServers(stores: readonly StoreRow[]): void {
    for (const { name, server } of stores) {
      if (server === undefined || server === "probing") continue;
      const before = this.#servers.get(name) ?? server;
      if (before !== server) this.#add({ text: `${name} is ${server}` });
      this.#servers.set(name, server);
    }
  }

  /** Reads the lists, at most one at a time. */
  async #list(): Promise<void> {
    if (this.#isListing) return;
    this.#isListing = true;
    try {
      const [{ active, denied }, blocked] = await Promise.all([this.#source.hot(), this.#source.blocked()]);
      const rows = new Map<string, ListedKey>();
      for (const { limiter, key, count } of active.slice(0, MOST_KEYS))
        rows.set(idOf({ limiter, key }), { limiter, key, calls: count });
      for (const { limiter, key, count } of denied.slice(0, MOST_KEYS)) {
        const id = idOf({ limiter, key });
        rows.set(id, { limiter, key, ...rows.get(id), denials: count });
      }
      this.#keys = await Promise.all([...rows.values()].map((row) => this.#explained(row)));
      const nowMs = this.#source.clock.now();
      const ends = (endsInMs: number) => (Number.isFinite(endsInMs) ? Math.round(nowMs + endsInMs) : null);
      const longest = blocked?.toSorted((a, b) => b.endsInMs - a.endsInMs).slice(0, MOST_KEYS);
      this.#blocked = longest?.map(({ endsInMs, ...key }) => ({ ...key, untilMs: ends(endsInMs) })) ?? null;
    } finally {
      this.#isListing = false;
    }
  }

  /** A key that cannot be explained has its counts alone, such as one of a rule that is gone, or one that was cut. */
  async #explained(row: ListedKey): Promise<ListedKey> {
    const explained = isCut(row.key) ? undefined : await this.#source.explain(row, 1).catch(() => undefined);
    if (explained === undefined || explained.limits.length === 0) return row;
    const nowMs = this.#source.clock.now();
    const { isAllowed, retryAfterMs } = verdictOf(explained, nowMs);
    const used = Math.max(0, ...explained.limits.map((bar) => bar.used / bar.capacity));
    const untilMs = retryAfterMs === null ? null : Math.round(nowMs + retryAfterMs);
    return { ...row, used: Number(used.toFixed(3)), ...(!isAllowed && { untilMs }) };
  }
}

/** Shadow limits deny nothing. */
function verdictOf({ limits, blockedUntilMs }: ExplainedKey, nowMs: number) {
  const denying = limits.filter(({ allowed, mode }) => !allowed && mode === "enforce");
  const waits = denying.map(({ retryAfterMs }) => retryAfterMs);
  if (blockedUntilMs !== null) waits.push(Math.max(0, blockedUntilMs - nowMs));
  const retryAfterMs = waits.includes(null) ? null : Math.max(0, ...waits.map(Number));
  return { isAllowed: waits.length === 0, retryAfterMs };
}

function callsOf({ admitted, denied, shadow }: CallRates): number {
  return admitted + denied + shadow;
}
