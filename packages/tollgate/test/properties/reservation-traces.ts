import { createLimiter, fixedWindow, type Limiter, type Reservation, TollgateError } from "tollgate";
import type { SyncStore } from "tollgate/store";
import { manualClock } from "tollgate/testing";
import { same } from "../../src/testing/store-contract/contract-case.ts";
import { randomBelow } from "../stores/local/random-words.ts";

const START_MS = 1_790_000_000_000;
const KEYS = ["a", "b"] as const;
const CAPACITIES = { requests: 12, tokens: 90 };
const TTL_MS = 5_000;

type Unit = keyof typeof CAPACITIES;
type Units = Record<Unit, number>;
const UNITS: readonly Unit[] = ["requests", "tokens"];

/** A reservation, and what it counts for by the books of this test alone. */
interface Entry {
  readonly reservation: Reservation;
  readonly key: string;
  readonly units: Units;
  readonly endsMs: number;
  isOver: boolean;
}

/** Random reservations of two keys. What is used is what reservations count for, and no admission exceeds a limit. */
export class ReservationTrace {
  readonly #clock = manualClock(START_MS);
  readonly #limiter: Limiter;
  readonly #below: (bound: number) => number;
  readonly #entries: Entry[] = [];
  readonly #store: SyncStore;

  constructor(store: SyncStore, seed: number) {
    // Windows of a day: nothing comes back by itself.
    const limits = UNITS.map((unit) => fixedWindow({ limit: CAPACITIES[unit], window: "1d", unit }));
    this.#store = store;
    this.#limiter = createLimiter({ limits, clock: this.#clock, store });
    this.#below = randomBelow(seed);
  }

  play(turns: number): void {
    for (let turn = 0; turn < turns; turn += 1) {
      const entry = this.#entries[this.#below(this.#entries.length + 3)];
      if (entry === undefined) this.#reserve();
      else this.#correct(entry);
      if (this.#below(5) === 0) this.#clock.advance(this.#below(2_000));
      for (const key of KEYS) {
        const used = Object.fromEntries(this.#limiter.explain(key).map((status) => [status.unit, status.used]));
        same(`turn ${turn}, ${key}`, used, this.#usedOf(key));
      }
    }
    this.#store.close();
  }

  #reserve(): void {
    const key = KEYS[this.#below(KEYS.length)]!;
    const cost = this.#anyCost();
    const before = this.#usedOf(key);
    const fits = UNITS.every((unit) => before[unit] + cost[unit] <= CAPACITIES[unit]);
    const hasTtl = this.#below(2) === 0;
    const endsMs = hasTtl ? this.#clock.now() + TTL_MS : Number.POSITIVE_INFINITY;
    const reservation = this.#limiter.reserve(key, cost, hasTtl ? { ttl: TTL_MS } : undefined);
    same("allowed", reservation.decision.allowed, fits);
    this.#entries.push({ reservation, key, units: fits ? cost : { requests: 0, tokens: 0 }, endsMs, isOver: false });
  }

  #correct(entry: Entry): void {
    const { reservation, units } = entry;
    const cost = this.#anyCost();
    const action = this.#below(4);
    if (action === 0) this.#settleBadly(entry);
    else if (action === 1) this.#charge(entry, cost);
    else if (action === 2) {
      const namesAll = this.#below(2) === 0;
      reservation.settle(namesAll ? cost : { tokens: cost.tokens });
      if (!entry.isOver) Object.assign(units, namesAll ? cost : { tokens: cost.tokens });
      entry.isOver = true;
    } else {
      reservation.cancel();
      if (entry.isOver || this.#clock.now() >= entry.endsMs) return;
      Object.assign(units, { requests: 0, tokens: 0 });
      entry.isOver = true;
    }
  }

  #settleBadly({ reservation, isOver }: Entry): void {
    same(
      "settles",
      succeeds(() => reservation.settle({ tokens: -1 })),
      isOver,
    );
  }

  #charge({ reservation, units, isOver }: Entry, cost: Units): void {
    same(
      "charges",
      succeeds(() => reservation.charge(cost)),
      !isOver,
    );
    if (isOver) return;
    for (const unit of UNITS) units[unit] += cost[unit];
  }

  #anyCost(): Units {
    return { requests: this.#below(3), tokens: this.#below(30) };
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
