import type { Key } from "../../core/key.ts";
import type { Limit } from "../../core/limits/limit.ts";
import type { OnChange } from "../../core/plan.ts";
import type { AsyncStore, SyncStore } from "../../core/store.ts";
import type { ChosenLimits } from "../../limiter/choosing/limits-choice.ts";
import { combine } from "../../limiter/combine.ts";
import { createLimiter } from "../../limiter/create-limiter.ts";
import type { AsyncLimiter, Limiter } from "../../limiter/limiter.ts";
import { type ManualClock, manualClock } from "../manual-clock.ts";

/** One requirement of the store contract. */
export interface ContractCase {
  readonly name: string;
  /** Rejects with an error that has the expected value and the actual one. */
  readonly run: () => Promise<void>;
  /** The reason why this store skips the case. */
  readonly skip?: string;
}

export type AnyStore = SyncStore | AsyncStore;
export type AnyLimiter = Limiter<Key> | AsyncLimiter<Key>;
export type AnyLimits = readonly Limit[] | ((key: Key) => ChosenLimits);

/** A fresh store, a manual clock and limiters over both, for one case. */
export class Bench {
  readonly store: AnyStore;
  readonly clock: ManualClock;

  constructor(store: AnyStore, startMs: number) {
    this.store = store;
    this.clock = manualClock(startMs);
  }

  limiter(limits: AnyLimits, name = "contract", onChange?: OnChange): AnyLimiter {
    const { store, clock } = this;
    return createLimiter({ name, limits, clock, store, ...(onChange && { onChange }) });
  }

  /** A limiter over a memory store, of its own unless one is given, to compare decisions with. */
  reference(limits: readonly Limit[], name: string, onChange?: OnChange, store?: SyncStore): Limiter<Key> {
    const { clock } = this;
    return createLimiter({ name, limits, clock, ...(store && { store }), ...(onChange && { onChange }) });
  }
}

export type ContractTest = (bench: Bench) => Promise<void>;

/** Cases by name. */
export type ContractTests = Readonly<Record<string, ContractTest>>;

/** A combination of limiters over one store. */
export function combineAny(one: AnyLimiter, other: AnyLimiter): AnyLimiter {
  if (one.kind === "sync" && other.kind === "sync") return combine(one, other);
  if (one.kind === "async" && other.kind === "async") return combine(one, other);
  throw new Error("expected limiters of one kind");
}

/** Compares plain values, lists and objects. @throws Error when the two differ. */
export function same(what: string, actual: unknown, expected: unknown): void {
  const got = text(actual);
  const wanted = text(expected);
  if (got !== wanted) throw new Error(`${what}: expected ${wanted}, got ${got}`);
}

/** JSON, with infinite numbers, NaN and nothing as text. Leases are what a store knows in addition. */
function text(value: unknown): string {
  const replace = (key: string, inner: unknown): unknown => {
    if (key === "lease") return undefined;
    return typeof inner === "number" && !Number.isFinite(inner) ? String(inner) : inner;
  };
  return JSON.stringify(value, replace) ?? String(value);
}

/** A generator of random numbers (Marsaglia's xorshift) that returns the same numbers for the same seed. */
export function randomBelow(seed: number): (bound: number) => number {
  let state = (seed + 1) * 0x9e3779b9;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}
