import { type Clock, combine, createLimiter, type Limit, type Limiter } from "tollgate";
import type { SharedMemory } from "../../../../src/stores/shared/shared-memory.ts";
import type { StoreInThread } from "../../../../src/stores/shared/store-in-thread.ts";
import type { Call } from "./model-call.ts";

/** The limits of two limiters. The key of a call says which of them it calls, or both combined. */
export interface Race {
  readonly first: readonly Limit[];
  readonly second: readonly Limit[];
}

export const RACE_KEYS = ["first", "second", "both"] as const;

/** A word that stores do not use has the time of all threads, in milliseconds. */
const TIME_AT = 15;

/**
 * One thread's limiters of a race. Their time advances in the middle of calls when other threads call at a later time.
 */
export class RaceCaller {
  readonly #memory: SharedMemory;
  readonly #limiters: Readonly<Record<string, Limiter>>;
  /** The first time that the clock returned in the current call: the time of the decision. */
  #decidedMs: number | undefined;

  constructor({ first, second }: Race, store: StoreInThread, memory: SharedMemory) {
    this.#memory = memory;
    const clock: Clock = { now: () => this.#readTime() };
    const one = createLimiter({ name: "first", limits: first, key: () => "ann", store, clock });
    const other = createLimiter({ name: "second", limits: second, key: () => "ann", store, clock });
    this.#limiters = { first: one, second: other, both: combine(one, other) };
  }

  play({ verb, key, cost, nowMs }: Call): string {
    const limiter = this.#limiters[key]!;
    this.#advanceTo(nowMs);
    if (verb === "explain")
      return limiter
        .explain("", cost)
        .map(({ name, used }) => `${name}: ${used}`)
        .join("; ");
    if (verb !== "allow") throw new Error(`race: expected allow or explain, got ${verb}`);
    this.#decidedMs = undefined;
    const allowed = limiter.allow("", cost);
    return `${allowed} at ${this.#decidedMs}`;
  }

  #readTime(): number {
    const { atomics, words } = this.#memory;
    const nowMs = atomics.load(words, TIME_AT);
    this.#decidedMs ??= nowMs;
    return nowMs;
  }

  #advanceTo(ms: number): void {
    const { atomics, words } = this.#memory;
    for (let before = atomics.load(words, TIME_AT); before < ms; before = atomics.load(words, TIME_AT)) {
      if (atomics.compareExchange(words, TIME_AT, before, ms) === before) return;
    }
  }
}
