import { History } from "./history.ts";
import { isCut, KeyNames } from "./key-names.ts";
import { eventText, Lookers } from "./lookers.ts";
import { type LimitRates, RateReader, type Rates } from "./rates.ts";
import type {
  DashboardEvent,
  KeyDetail,
  KeyLists,
  KeyRow,
  LimitRow,
  Point,
  Snapshot,
  StoreRow,
  Welcome,
} from "./snapshot.ts";
import { DashboardError, type DashboardSource, type ExplainedKey, type Looker, type SourceKey } from "./source.ts";

const TICK_MS = 1_000;
const MOST_LIMITS = 200;
const MOST_KEYS = 20;
const MOST_EVENTS = 200;
/** How much of a key a detail shows. */
const MOST_KEY = 16_384;
/** Lists of keys are read this often, or less often if reading them takes long. */
const LISTS_MS = 2_000;
const LISTS_PART = 20;

/** Keys of the lists before they are named, which depends on the looker. */
interface Lists {
  readonly limited: readonly ListedKey[];
  readonly closest: readonly ListedKey[];
  readonly active: readonly ListedKey[];
  readonly blocked: readonly ListedKey[] | null;
}

type ListedKey = SourceKey & Omit<KeyRow, "id">;
type OwnEvent = Omit<DashboardEvent, "key" | "keyId"> & { readonly of?: SourceKey };

const NO_LISTS: Lists = { limited: [], closest: [], active: [], blocked: [] };

/** Reads a source once a second, keeps its history, and tells all lookers. */
export class Board {
  readonly #source: DashboardSource;
  readonly #reader = new RateReader();
  readonly #history = new History();
  readonly #lookers = new Lookers();
  readonly #names: KeyNames;
  readonly #onError: (error: unknown) => void;
  readonly #events: OwnEvent[] = [];
  #eventId = 0;
  /** The last event that a snapshot had, or that came while no page looked. */
  #toldId = 0;
  #stores: readonly StoreRow[] = [];
  #lists = NO_LISTS;
  #listsDueMs = 0;
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
  look(looker: Looker, isShown: boolean): ReadableStream<Uint8Array> {
    const { who, access } = looker;
    const { seconds, hour } = this.#history;
    const welcome: Welcome = {
      access,
      who,
      keys: isShown ? "shown" : "masked",
      overridable: this.#source.overridable,
      seconds,
      hour,
      events: this.#events.map((event) => this.#named(event, isShown)),
    };
    return this.#lookers.add(eventText("welcome", welcome), this.#source.clock.now(), { who, isShown });
  }

  async detail(key: SourceKey, cost: number, isShown: boolean): Promise<KeyDetail> {
    const [explained, trail] = await Promise.all([this.#source.explain(key, cost), this.#source.trail(key)]);
    const { limits, blockedUntilMs } = explained;
    const atMs = Math.round(this.#source.clock.now());
    const { isAllowed, retryAfterMs } = verdictOf(explained, atMs);
    const { decisions, watchedSinceMs } = trail;
    const named = this.#names.name(key, isShown, MOST_KEY);
    return {
      ...named,
      atMs,
      blockedUntilMs,
      limits,
      cost,
      allowed: isAllowed,
      retryAfterMs,
      decisions,
      watchedSinceMs,
    };
  }

  /** @throws DashboardError 404 */
  find(named: Parameters<KeyNames["find"]>[0]): SourceKey {
    return this.#names.find(named);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
    this.#lookers.close();
  }

  #later(): () => void {
    const { clock } = this.#source;
    const tick = (): void =>
      void this.#tick()
        .catch(this.#onError)
        .then(() => this.#again());
    const leftMs = TICK_MS - (clock.now() % TICK_MS);
    // A timer may be early: rates of a moment would be far too high.
    const delayMs = leftMs < TICK_MS / 2 ? leftMs + TICK_MS : leftMs;
    if (clock.schedule !== undefined) return clock.schedule(tick, delayMs);
    const timer = setTimeout(tick, delayMs);
    timer.unref?.();
    return () => clearTimeout(timer);
  }

  #again(): void {
    if (!this.#isClosed) this.#cancel = this.#later();
  }

  async #tick(): Promise<void> {
    const { clock } = this.#source;
    const [families, trail] = await Promise.all([this.#source.families(), this.#source.trail(undefined)]);
    const nowMs = clock.now();
    const rates = this.#reader.read(families, nowMs);
    for (const { limiter, key, count, reason, limit } of trail.denied) {
      const text = `${count} denied: ${reason}${limit && ` under ${limit}`}`;
      this.#add({ kind: "denial", text, limiter, of: { limiter, key } });
    }
    if (trail.others > 0) this.#add({ kind: "denial", text: `${trail.others} denied of other keys` });
    this.#noteCircuits(rates.stores);
    for (const event of this.#source.events()) this.#add(event);
    const { point } = rates;
    if (point === undefined) return;
    this.#history.add(point);
    if (this.#lookers.count === 0 || this.#isClosed) {
      this.#toldId = this.#eventId;
      return;
    }
    void this.#list().catch(this.#onError);
    const fresh = this.#events.filter(({ id }) => id > this.#toldId);
    this.#toldId = this.#eventId;
    this.#lookers.send(nowMs, (isShown) => this.#snapshot(point, rates, fresh, isShown));
  }

  #snapshot(point: Point, { limits, stores }: Rates, fresh: readonly OwnEvent[], isShown: boolean): string {
    const state = this.#source.state();
    const rows = rowsOf(state.limits, limits);
    const nameAll = (keys: readonly ListedKey[]): KeyRow[] =>
      keys.map((row) => ({ ...row, ...this.#names.name(row, isShown) }));
    const { limited, closest, active, blocked } = this.#lists;
    const keys: KeyLists = {
      limited: nameAll(limited),
      closest: nameAll(closest),
      active: nameAll(active),
      blocked: blocked && nameAll(blocked),
    };
    const snapshot: Snapshot = {
      point,
      limits: rows.slice(0, MOST_LIMITS),
      limitsTotal: rows.length,
      stores: stores.map((store) => ({ ...store, ...state.stores.find(({ name }) => name === store.name) })),
      processes: state.processes,
      ...(state.file !== undefined && { file: state.file }),
      keys,
      events: fresh.map((event) => this.#named(event, isShown)),
    };
    return eventText("snapshot", snapshot);
  }

  #named({ of, ...event }: OwnEvent, isShown: boolean): DashboardEvent {
    if (of === undefined) return event;
    const { key, id: keyId } = this.#names.name(of, isShown);
    return { ...event, key, keyId };
  }

  #add(event: Omit<OwnEvent, "id" | "atMs">): void {
    this.#eventId += 1;
    this.#events.push({ ...event, id: this.#eventId, atMs: Math.round(this.#source.clock.now()) });
    if (this.#events.length > MOST_EVENTS) this.#events.shift();
  }

  #noteCircuits(stores: readonly StoreRow[]): void {
    for (const { name, server } of stores) {
      const before = this.#stores.find((store) => store.name === name)?.server;
      if (before === undefined || server === undefined || before === server || server === "probing") continue;
      this.#add({ kind: "circuit", text: `${name} is ${server}` });
    }
    // A probe changes nothing yet.
    this.#stores = stores.map((store) => {
      const before = this.#stores.find(({ name }) => name === store.name)?.server;
      return store.server === "probing" && before !== undefined ? { ...store, server: before } : store;
    });
  }

  /** Reads the lists, at most one at a time. */
  async #list(): Promise<void> {
    const { clock } = this.#source;
    const startedMs = clock.now();
    if (this.#isListing || startedMs < this.#listsDueMs) return;
    this.#isListing = true;
    try {
      const [{ active, denied }, blocked] = await Promise.all([this.#source.hot(), this.#source.blocked()]);
      const [ofActive, ofDenied] = await Promise.all([this.#explainAll(active), this.#explainAll(denied)]);
      this.#lists = {
        limited: ofDenied.filter(({ isAllowed }) => !isAllowed).map(({ row }) => row),
        closest: ofActive
          .filter(({ isAllowed }) => isAllowed)
          .map(({ row }) => row)
          .sort((a, b) => (b.used ?? 0) - (a.used ?? 0)),
        active: [...ofActive.map(({ row }) => row), ...active.filter(({ key }) => isCut(key))].slice(0, MOST_KEYS),
        blocked: blocked && blockedRows(blocked, clock.now()),
      };
    } finally {
      this.#isListing = false;
      const endedMs = clock.now();
      this.#listsDueMs = Math.max(startedMs + LISTS_MS - TICK_MS / 2, endedMs + LISTS_PART * (endedMs - startedMs));
    }
  }

  /** A key that cannot be explained is left out, such as one of a rule that is gone, or one that was cut. */
  async #explainAll(keys: readonly ListedKey[]): Promise<{ readonly row: ListedKey; readonly isAllowed: boolean }[]> {
    const top = keys.slice(0, MOST_KEYS).filter(({ key }) => !isCut(key));
    const explained = await Promise.allSettled(top.map((key) => this.#source.explain(key, 1)));
    const nowMs = this.#source.clock.now();
    return explained.flatMap((result, i) => {
      if (result.status === "rejected" || result.value.limits.length === 0) return [];
      const { isAllowed, retryAfterMs } = verdictOf(result.value, nowMs);
      const { limiter, key, count } = top[i]!;
      const parts = result.value.limits.map((bar) => bar.used / bar.capacity);
      const used = Number(Math.max(0, ...parts).toFixed(3));
      const untilMs = retryAfterMs === null ? null : Math.round(nowMs + retryAfterMs);
      const row: ListedKey = { limiter, key, count: count ?? 0, used, ...(!isAllowed && { untilMs }) };
      return [{ row, isAllowed }];
    });
  }
}

function blockedRows(blocked: NonNullable<Awaited<ReturnType<DashboardSource["blocked"]>>>, nowMs: number) {
  return [...blocked]
    .sort((a, b) => b.endsInMs - a.endsInMs)
    .slice(0, MOST_KEYS)
    .map(({ endsInMs, ...key }) => ({
      ...key,
      untilMs: Number.isFinite(endsInMs) ? Math.round(nowMs + endsInMs) : null,
    }));
}

/** Shadow limits deny nothing. */
function verdictOf({ limits, blockedUntilMs }: ExplainedKey, nowMs: number) {
  const denying = limits.filter(({ allowed, mode }) => !allowed && mode === "enforce");
  const waits = denying.map(({ retryAfterMs }) => retryAfterMs);
  if (blockedUntilMs !== null) waits.push(Math.max(0, blockedUntilMs - nowMs));
  const retryAfterMs = waits.includes(null) ? null : Math.max(0, ...waits.map(Number));
  return { isAllowed: waits.length === 0, retryAfterMs };
}

/** Limits that are known, and those that have only counted. Those with most calls come first. */
function rowsOf(described: ReturnType<DashboardSource["state"]>["limits"], rates: readonly LimitRates[]): LimitRow[] {
  const rows = new Map<string, LimitRow>();
  const idOf = ({ limiter, limit }: Pick<LimitRow, "limiter" | "limit">) => `${limiter}\0${limit}`;
  for (const limit of described) rows.set(idOf(limit), { ...limit, admitted: 0, denied: 0, shadow: 0 });
  for (const { limiter, limit, admitted, denied, shadow } of rates) {
    const known = rows.get(idOf({ limiter, limit }));
    const isSilent = known === undefined && admitted + denied + shadow === 0;
    if (isSilent) continue;
    const row: LimitRow = known ?? { limiter, limit, numbers: "", mode: "enforce", admitted, denied, shadow };
    rows.set(idOf(row), { ...row, admitted, denied, shadow });
  }
  const weight = ({ admitted, denied, shadow }: LimitRow) => admitted + denied + shadow;
  return [...rows.values()].sort((a, b) => weight(b) - weight(a));
}

/** Rejects a cost that no limit takes. @throws DashboardError 400 */
export function checkCostOf(cost: unknown): number {
  if (cost === undefined) return 1;
  if (typeof cost === "number" && Number.isSafeInteger(cost) && cost >= 0) return cost;
  throw new DashboardError(400, "cost: expected a whole number from 0");
}
