import { concurrency, createLimiter, fixedWindow, type Limiter, type Reservation, TollgateError } from "tollgate";
import type { SyncStore } from "tollgate/store";
import { manualClock } from "tollgate/testing";
import { same } from "../../src/testing/store-contract/contract-case.ts";
import { randomBelow } from "../stores/local/random-words.ts";

const START_MS = 1_790_000_000_000;
const KEYS = ["a", "b"] as const;
const CAPACITIES = { requests: 80, tokens: 500 };
const RESERVATION_TTL_MS = 300;
/** Up to this many places, each expires at its own time. */
const MOST_EXACT = 64;

type Unit = keyof typeof CAPACITIES;
type Units = Record<Unit, number>;
const UNITS: readonly Unit[] = ["requests", "tokens"];

/** A limit on concurrency, as the books know it. */
interface Numbers {
  readonly max: number;
  readonly ttlMs: number;
}

/** A reservation, and what it counts for by the books of this test alone. */
interface Entry {
  readonly reservation: Reservation;
  readonly key: string;
  readonly units: Units;
  /** How many places it holds under each limit on concurrency, and until when. */
  readonly holds: { count: number; untilMs: number }[];
  /** When the reservation counts as settled. */
  endsMs: number;
  isOver: boolean;
  hasLost: boolean;
}

/**
 * Random reservations of two keys under up to three limits on concurrency, a limit of requests and one of tokens. What
 * is used is what reservations count for, and no admission exceeds a limit. The books hold each place for its owner.
 * Up to 64 places the store counts the same. Places of a larger limit may expire a little later.
 */
export class ReservationTrace {
  readonly #clock = manualClock(START_MS);
  readonly #places: readonly Numbers[];
  readonly #limiter: Limiter;
  readonly #below: (bound: number) => number;
  readonly #entries: Entry[] = [];
  readonly #store: SyncStore;

  constructor(store: SyncStore, seed: number) {
    this.#below = randomBelow(seed);
    this.#places = Array.from({ length: this.#below(4) }, () => ({
      max: [1, 3, 8, MOST_EXACT, 100, 1_000][this.#below(6)]!,
      ttlMs: 10 + this.#below(1_000),
    }));
    const places = this.#places.map(({ max, ttlMs }, i) => concurrency({ name: `places ${i}`, max, ttl: ttlMs }));
    // Windows of a year: nothing comes back by itself.
    const units = UNITS.map((unit) =>
      fixedWindow({ limit: CAPACITIES[unit], window: "365d", unit, anchor: "first-use" }),
    );
    this.#store = store;
    this.#limiter = createLimiter({ name: "api", limits: [...places, ...units], clock: this.#clock, store });
  }

  play(turns: number): void {
    for (let turn = 0; turn < turns; turn += 1) {
      const entry = this.#entries[this.#below(2 * this.#entries.length + 2)];
      if (entry === undefined) this.#reserve();
      else this.#correct(entry);
      if (this.#below(3) === 0) this.#clock.advance(this.#below(400) / 4);
      if (this.#below(50) === 0) this.#limiter.sweep();
      for (const key of KEYS) this.#compare(key, `turn ${turn}, ${key}`);
    }
    this.#store.close();
  }

  #reserve(): void {
    const key = KEYS[this.#below(KEYS.length)]!;
    const units = this.#anyUnits();
    const count = this.#places.length === 0 ? 0 : this.#below(4);
    const before = this.#usedOf(key);
    const hasUnits = UNITS.every((unit) => before[unit] + units[unit] <= CAPACITIES[unit]);
    const hasPlaces = this.#places.every(({ max }, i) => this.#held(key, i) + count <= max);
    const ttl = this.#below(2) === 0 ? undefined : RESERVATION_TTL_MS;
    // Without a count, a call takes one place.
    const places = this.#places.length === 0 || count === 1 ? {} : { "concurrent-requests": count };
    const reservation = this.#limiter.reserve(key, { ...units, ...places }, { ttl });
    const { allowed } = reservation.decision;
    if (!hasUnits) same("more units than the limit has", allowed, false);
    else if (this.#isExact || !hasPlaces) same("allowed", allowed, hasPlaces);
    if (!allowed) return;
    const nowMs = this.#clock.now();
    const holds = this.#places.map(({ ttlMs }) => ({ count, untilMs: nowMs + ttlMs }));
    const endsMs = nowMs + (ttl ?? Number.POSITIVE_INFINITY);
    this.#entries.push({ reservation, key, units, holds, endsMs, isOver: false, hasLost: false });
  }

  #correct(entry: Entry): void {
    const { reservation, units } = entry;
    const cost = this.#anyUnits();
    switch (this.#below(6)) {
      case 0:
        // A cost that is refused settles nothing. What is over ignores it.
        same(
          "settles",
          succeeds(() => reservation.settle({ tokens: -1 })),
          entry.isOver,
        );
        break;
      case 1:
        same(
          "charges",
          succeeds(() => reservation.charge(cost)),
          !entry.isOver,
        );
        if (!entry.isOver) for (const unit of UNITS) units[unit] += cost[unit];
        break;
      case 2: {
        const namesAll = this.#below(2) === 0;
        const settled = namesAll ? cost : { tokens: cost.tokens };
        this.#end(entry, () => reservation.settle({ ...settled, ...this.#manyPlaces }), settled);
        break;
      }
      case 3:
        this.#cancel(entry);
        break;
      default:
        this.#renew(entry);
    }
  }

  /** Whether all places expire at their own time. */
  get #isExact(): boolean {
    return this.#places.every(({ max }) => max <= MOST_EXACT);
  }

  /** Settling frees all places, whatever it says of them. */
  get #manyPlaces(): Readonly<Record<string, number>> {
    return this.#places.length === 0 ? {} : { "concurrent-requests": 7 };
  }

  #renew(entry: Entry): void {
    const { reservation, holds } = entry;
    const nowMs = this.#clock.now();
    entry.hasLost ||= holds.some(({ count, untilMs }) => count > 0 && untilMs <= nowMs);
    const isOpen = !entry.isOver && nowMs < entry.endsMs;
    const renewed = reservation.renew();
    // Places of a large limit may expire late, and are renewed then.
    if (isOpen && entry.hasLost && !this.#isExact) entry.hasLost = !renewed;
    same("renewed", renewed, isOpen && !entry.hasLost);
    if (!isOpen) return;
    if (Number.isFinite(entry.endsMs)) entry.endsMs = nowMs + RESERVATION_TTL_MS;
    for (const [i, hold] of holds.entries()) {
      if (hold.untilMs <= nowMs && !renewed) hold.count = 0;
      else hold.untilMs = nowMs + this.#places[i]!.ttlMs;
    }
  }

  /** After the reservation's time the units stay taken. */
  #cancel(entry: Entry): void {
    if (this.#clock.now() < entry.endsMs) {
      this.#end(entry, () => entry.reservation.cancel(), { requests: 0, tokens: 0 });
      return;
    }
    entry.reservation.cancel();
    for (const hold of entry.holds) hold.count = 0;
  }

  #end(entry: Entry, work: () => void, units: Partial<Units>): void {
    work();
    if (entry.isOver) return;
    entry.isOver = true;
    for (const hold of entry.holds) hold.count = 0;
    Object.assign(entry.units, units);
  }

  #compare(key: string, where: string): void {
    const used = this.#limiter.explain(key).map((status) => status.used);
    for (const [i, { max }] of this.#places.entries()) {
      const held = this.#held(key, i);
      if (max <= MOST_EXACT) same(`${where}, places ${i}`, used[i], held);
      else
        same(`${where}, places ${i}: all that are held, at most the limit`, used[i]! >= held && used[i]! <= max, true);
    }
    same(`${where}, units`, used.slice(-UNITS.length), Object.values(this.#usedOf(key)));
  }

  #anyUnits(): Units {
    return { requests: this.#below(3), tokens: this.#below(30) };
  }

  #held(key: string, limit: number): number {
    const nowMs = this.#clock.now();
    return this.#entries
      .filter((entry) => entry.key === key)
      .map(({ holds }) => holds[limit]!)
      .reduce((sum, { count, untilMs }) => (untilMs > nowMs ? sum + count : sum), 0);
  }

  #usedOf(key: string): Units {
    const used = { requests: 0, tokens: 0 };
    for (const entry of this.#entries) {
      if (entry.key === key) for (const unit of UNITS) used[unit] += entry.units[unit];
    }
    return used;
  }
}

function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (error instanceof TollgateError) return false;
    throw error;
  }
}
