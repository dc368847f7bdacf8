import { concurrency, createLimiter, fixedWindow, type Limiter, type Reservation } from "tollgate";
import type { SyncStore } from "tollgate/store";
import { manualClock } from "tollgate/testing";
import { same } from "../../src/testing/store-contract/contract-case.ts";
import { randomBelow } from "../stores/local/random-words.ts";

const START_MS = 1_790_000_000_000;
const KEYS = ["a", "b"] as const;
const TOKENS = 200;
const RESERVATION_TTL_MS = 300;

/** A limit on concurrency, as the books know it. */
interface Numbers {
  readonly max: number;
  readonly ttlMs: number;
}

/** A reservation, and what it holds by the books of this test alone. */
interface Entry {
  readonly reservation: Reservation;
  readonly key: string;
  readonly tokens: number;
  /** How many places it holds under each limit, and until when. */
  readonly holds: { count: number; untilMs: number }[];
  /** When the reservation counts as settled. */
  endsMs: number;
  isOpen: boolean;
  hasLost: boolean;
}

/**
 * Random holders of two keys under several limits on concurrency, and a limit of tokens. The books hold each place for
 * its owner. Up to 64 places the store counts the same. Places of a larger limit may expire a little later.
 */
export class PlaceTrace {
  readonly #clock = manualClock(START_MS);
  readonly #limits: readonly Numbers[];
  readonly #limiter: Limiter;
  readonly #store: SyncStore;
  readonly #below: (bound: number) => number;
  readonly #entries: Entry[] = [];

  constructor(store: SyncStore, seed: number) {
    this.#below = randomBelow(seed);
    this.#limits = Array.from({ length: 1 + this.#below(3) }, () => ({
      max: [1, 3, 8, 64, 100, 1_000][this.#below(6)]!,
      ttlMs: 10 + this.#below(1_000),
    }));
    const places = this.#limits.map(({ max, ttlMs }, i) => concurrency({ name: `places ${i}`, max, ttl: ttlMs }));
    const tokens = fixedWindow({ limit: TOKENS, window: "365d", unit: "tokens", anchor: "first-use" });
    this.#store = store;
    this.#limiter = createLimiter({ name: "places", limits: [...places, tokens], clock: this.#clock, store });
  }

  play(turns: number): void {
    for (let turn = 0; turn < turns; turn += 1) {
      const entry = this.#entries[this.#below(2 * this.#entries.length + 2)];
      if (entry === undefined) this.#reserve();
      else this.#go(entry);
      if (this.#below(3) === 0) this.#clock.advance(this.#below(400) / 4);
      if (this.#below(50) === 0) this.#limiter.sweep();
      for (const key of KEYS) this.#compare(key, `turn ${turn}, ${key}`);
    }
    this.#store.close();
  }

  #reserve(): void {
    const key = KEYS[this.#below(KEYS.length)]!;
    const [count, tokens] = [this.#below(4), this.#below(5)];
    const cost = count === 1 ? { tokens } : { tokens, "concurrent-requests": count };
    const fits = this.#limits.every(({ max }, i) => this.#held(key, i) + count <= max);
    const isExact = this.#limits.every(({ max }) => max <= 64);
    const ttl = this.#below(2) === 0 ? undefined : RESERVATION_TTL_MS;
    const reservation = this.#limiter.reserve(key, cost, { ttl });
    const { allowed } = reservation.decision;
    if (this.#tokensOf(key) + tokens > TOKENS) same("too many tokens", allowed, false);
    else if (isExact || !fits) same("allowed", allowed, fits);
    if (!allowed) return;
    const holds = this.#limits.map(({ ttlMs }) => ({ count, untilMs: this.#clock.now() + ttlMs }));
    this.#entries.push({
      reservation,
      key,
      tokens,
      holds,
      endsMs: this.#clock.now() + (ttl ?? Number.POSITIVE_INFINITY),
      isOpen: true,
      hasLost: false,
    });
  }

  #go(entry: Entry): void {
    const choice = this.#below(5);
    if (choice < 2) this.#renew(entry);
    else if (choice === 2) this.#cancel(entry);
    else {
      const tokens = this.#below(5);
      this.#end(entry, () => entry.reservation.settle({ tokens, "concurrent-requests": 7 }), tokens);
    }
  }

  #renew(entry: Entry): void {
    const { reservation, holds } = entry;
    const nowMs = this.#clock.now();
    entry.hasLost ||= holds.some(({ count, untilMs }) => count > 0 && untilMs <= nowMs);
    const isOpen = entry.isOpen && nowMs < entry.endsMs;
    same("renewed", reservation.renew(), isOpen && !entry.hasLost);
    if (!isOpen) return;
    if (Number.isFinite(entry.endsMs)) entry.endsMs = nowMs + RESERVATION_TTL_MS;
    for (const [i, hold] of holds.entries()) {
      if (hold.untilMs <= nowMs) hold.count = 0;
      else hold.untilMs = nowMs + this.#limits[i]!.ttlMs;
    }
  }

  /** After the reservation's time the tokens stay taken. */
  #cancel(entry: Entry): void {
    if (this.#clock.now() < entry.endsMs) {
      this.#end(entry, () => entry.reservation.cancel(), 0);
      return;
    }
    entry.reservation.cancel();
    for (const hold of entry.holds) hold.count = 0;
  }

  #end(entry: Entry, work: () => void, tokens: number): void {
    work();
    if (!entry.isOpen) return;
    entry.isOpen = false;
    for (const hold of entry.holds) hold.count = 0;
    Object.assign(entry, { tokens });
  }

  #compare(key: string, where: string): void {
    const used = this.#limiter.explain(key).map((status) => status.used);
    for (const [i, { max }] of this.#limits.entries()) {
      const held = this.#held(key, i);
      if (max <= 64) same(`${where}, limit ${i}`, used[i], held);
      else
        same(
          `${where}, limit ${i}: at least those held, at most the limit`,
          [used[i]! >= held, used[i]! <= max],
          [true, true],
        );
    }
    same(`${where}, tokens`, used.at(-1), this.#tokensOf(key));
  }

  #held(key: string, limit: number): number {
    const nowMs = this.#clock.now();
    return this.#entries
      .filter((entry) => entry.key === key)
      .map(({ holds }) => holds[limit]!)
      .reduce((sum, { count, untilMs }) => (untilMs > nowMs ? sum + count : sum), 0);
  }

  #tokensOf(key: string): number {
    return this.#entries.reduce((sum, entry) => (entry.key === key ? sum + entry.tokens : sum), 0);
  }
}
