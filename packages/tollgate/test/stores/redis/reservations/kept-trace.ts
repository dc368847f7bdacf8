import {
  type AsyncLimiter,
  concurrency,
  createLimiter,
  fixedWindow,
  type KeptReservation,
  TollgateError,
} from "tollgate";
import type { RedisStore } from "tollgate/redis";
import { type ManualClock, manualClock } from "tollgate/testing";
import { same } from "../../../../src/testing/store-contract/contract-case.ts";
import { randomBelow } from "../../local/random-words.ts";

const PROCESSES = 3;
const KEYS = ["ann", "bob"] as const;
const UNITS = ["requests", "tokens"] as const;
const MAX_PLACES = 6;
const PLACE_TTL_MS = 400;
const KEEP_MS = 1_000;

type Units = Record<(typeof UNITS)[number], number>;

/** What one call took of a key. Nothing of it is given back after a reset. */
interface Part {
  readonly left: Units;
  isForgotten: boolean;
}

/** A reservation by the books of this test alone. */
interface Entry {
  readonly id: string;
  readonly key: string;
  readonly counted: Units;
  readonly parts: Part[];
  /** Until when its place is held. */
  untilMs: number;
  hasLost: boolean;
  endsMs: number;
}

/** Random reservations of two keys, each kept by one process, and charged, renewed, settled and cancelled by any. */
export class KeptTrace {
  readonly #clock: ManualClock = manualClock(1_790_000_000_000);
  readonly #limiters: readonly AsyncLimiter[];
  readonly #stores: readonly RedisStore[];
  readonly #below: (bound: number) => number;
  readonly #entries: Entry[] = [];

  constructor(createStore: () => RedisStore, seed: number) {
    this.#below = randomBelow(seed);
    // Windows of a year: nothing comes back by itself.
    const units = UNITS.map((unit) => fixedWindow({ limit: 1_000_000, window: "365d", unit, anchor: "first-use" }));
    const limits = [concurrency({ name: "places", max: MAX_PLACES, ttl: PLACE_TTL_MS }), ...units];
    const options = { name: "api", limits, clock: this.#clock };
    this.#stores = Array.from({ length: PROCESSES }, createStore);
    this.#limiters = this.#stores.map((store) => createLimiter({ ...options, store }));
  }

  async play(turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn += 1) {
      this.#clock.advance(1 + this.#below(60));
      const entry = this.#entries[this.#below(2 * this.#entries.length + 1)];
      if (entry === undefined) await this.#reserve();
      else if (this.#below(20) === 0) await this.#reset(entry.key);
      else if (this.#below(4) === 0) await this.#race(entry);
      else await this.#correct(entry);
      for (const key of KEYS) await this.#compare(`turn ${turn}, ${key}`, key);
    }
  }

  #open({ id }: Entry): KeptReservation {
    return this.#stores[this.#below(PROCESSES)]!.reservation(id);
  }

  get #limiter(): AsyncLimiter {
    return this.#limiters[this.#below(PROCESSES)]!;
  }

  async #reserve(): Promise<void> {
    const key = KEYS[this.#below(KEYS.length)]!;
    const units = this.#anyUnits();
    const reserved = await this.#limiter.reserve(key, units);
    const { allowed } = reserved.decision;
    same("allowed", allowed, this.#held(key) < MAX_PLACES);
    if (!allowed) return;
    const parts = [{ left: { ...units }, isForgotten: false }];
    if (this.#below(3) === 0) {
      const more = this.#anyUnits();
      await reserved.charge(more);
      parts.push({ left: { ...more }, isForgotten: false });
      for (const unit of UNITS) units[unit] += more[unit];
    }
    const id = await reserved.keep(KEEP_MS);
    // Here it is over.
    await Promise.all([reserved.settle({ requests: 0, tokens: 0 }), reserved.cancel(), reserved.renew()]);
    const nowMs = this.#clock.now();
    const times = { untilMs: nowMs + PLACE_TTL_MS, endsMs: nowMs + KEEP_MS };
    this.#entries.push({ id, key, counted: { ...units }, parts, hasLost: false, ...times });
  }

  async #reset(key: string): Promise<void> {
    await this.#limiter.reset(key);
    this.#clock.advance(1);
    for (const entry of this.#entries.filter((one) => one.key === key)) {
      for (const part of entry.parts) part.isForgotten = true;
      entry.untilMs = 0;
    }
  }

  async #correct(entry: Entry): Promise<void> {
    const reservation = this.#open(entry);
    const cost = this.#anyUnits();
    const isOpen = this.#isOpen(entry);
    switch (this.#below(5)) {
      case 0:
        same("a bad cost", await succeeds(() => reservation.settle({ tokens: -1 })), false);
        break;
      case 1:
        same("charges", await succeeds(() => reservation.charge(cost)), isOpen);
        if (isOpen) this.#charge(entry, cost);
        break;
      case 2: {
        const { tokens } = cost;
        same("settles", await reservation.settle({ tokens }), isOpen);
        if (isOpen) this.#end(entry, { ...entry.counted, tokens });
        break;
      }
      case 3:
        same("cancels", await reservation.cancel(), isOpen);
        if (isOpen) this.#end(entry, { requests: 0, tokens: 0 });
        break;
      default:
        await this.#renew(entry);
    }
  }

  /** Several processes at once. Charges may come before or after the end; the end says what the call counts for. */
  async #race(entry: Entry): Promise<void> {
    const isOpen = this.#isOpen(entry);
    const costs = [this.#anyUnits(), this.#anyUnits(), { requests: 0, tokens: 0 }];
    const [first, second, third] = costs as [Units, Units, Units];
    const charge = this.#anyUnits();
    const [charged, ...ended] = await Promise.all([
      succeeds(() => this.#open(entry).charge(charge)),
      this.#open(entry).settle(first),
      this.#open(entry).settle(second),
      this.#open(entry).cancel(),
    ]);
    same("exactly one ends it", ended.filter(Boolean).length, isOpen ? 1 : 0);
    if (!isOpen) return same("charged", charged, false);
    if (charged) this.#charge(entry, charge);
    this.#end(entry, [first, second, third][ended.indexOf(true)]!);
  }

  async #renew(entry: Entry): Promise<void> {
    const nowMs = this.#clock.now();
    const isOpen = this.#isOpen(entry);
    entry.hasLost ||= entry.untilMs <= nowMs;
    same("renews", await this.#open(entry).renew(), isOpen && !entry.hasLost);
    if (!isOpen) return;
    entry.endsMs = nowMs + KEEP_MS;
    if (!entry.hasLost) entry.untilMs = nowMs + PLACE_TTL_MS;
  }

  #charge(entry: Entry, cost: Units): void {
    entry.parts.push({ left: { ...cost }, isForgotten: false });
    for (const unit of UNITS) entry.counted[unit] += cost[unit];
  }

  /** Charges what is missing, or gives back what is too much, of the latest parts first. */
  #end(entry: Entry, actual: Units): void {
    const more = { requests: 0, tokens: 0 };
    for (const unit of UNITS) {
      more[unit] = Math.max(0, actual[unit] - entry.counted[unit]);
      let less = Math.max(0, entry.counted[unit] - actual[unit]);
      for (const part of entry.parts.toReversed()) {
        const given = Math.min(less, part.left[unit]);
        part.left[unit] -= given;
        less -= given;
      }
    }
    entry.parts.push({ left: more, isForgotten: false });
    entry.untilMs = 0;
    entry.endsMs = 0;
  }

  async #compare(where: string, key: string): Promise<void> {
    const used = (await this.#limiter.explain(key)).map((status) => status.used);
    const ofUnits = UNITS.map((unit) => {
      const parts = this.#entries.filter((entry) => entry.key === key).flatMap((entry) => entry.parts);
      return parts.reduce((sum, { left, isForgotten }) => (isForgotten ? sum : sum + left[unit]), 0);
    });
    same(where, used.join(), [this.#held(key), ...ofUnits].join());
  }

  #held(key: string): number {
    return this.#entries.filter((entry) => entry.key === key && entry.untilMs > this.#clock.now()).length;
  }

  #isOpen({ endsMs }: Entry): boolean {
    return this.#clock.now() < endsMs;
  }

  #anyUnits(): Units {
    return { requests: this.#below(3), tokens: this.#below(30) };
  }
}

async function succeeds(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof TollgateError) return false;
    throw error;
  }
}
