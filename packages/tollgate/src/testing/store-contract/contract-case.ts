import type { Denied } from "../../core/decision.ts";
import type { Key } from "../../core/key.ts";
import type { Limit } from "../../core/limits/limit.ts";
import type { OnChange } from "../../core/plan.ts";
import type { AsyncStore, SyncStore } from "../../core/store.ts";
import type { ChosenLimits } from "../../limiter/choosing/limits-choice.ts";
import { combine } from "../../limiter/combine.ts";
import { createLimiter } from "../../limiter/create-limiter.ts";
import type { AsyncLimiter, Limiter } from "../../limiter/limiter.ts";
import { DeniedError } from "../../limiter/waiting/denied-error.ts";
import { memoryStore } from "../../stores/memory/memory-store.ts";
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

/** A fresh store, a manual clock and limiters over both, for one case. */
export class Bench {
  readonly store: AnyStore;
  readonly clock: ManualClock;

  constructor(store: AnyStore, startMs: number) {
    this.store = store;
    this.clock = manualClock(startMs);
  }

  limiter(limits: readonly Limit[] | ((key: Key) => ChosenLimits), name = "contract", onChange?: OnChange): AnyLimiter {
    const { store, clock } = this;
    return createLimiter({ name, limits, clock, store, ...(onChange && { onChange }) });
  }

  /** Versions of a limiter over the store, and the same over one memory store. */
  versions(lists: readonly (readonly Limit[])[], name: string, onChange: OnChange): [AnyLimiter[], Limiter<Key>[]] {
    const { clock } = this;
    const store = memoryStore();
    return [
      lists.map((limits) => this.limiter(limits, name, onChange)),
      lists.map((limits) => createLimiter({ name, limits, clock, store, onChange })),
    ];
  }

  /** A limiter that looks its limits up. */
  lookUpLimiter(limits: (key: Key) => Promise<ChosenLimits>, name = "contract"): AsyncLimiter<Key> {
    const { store, clock } = this;
    return createLimiter({ name, limits, clock, store, async: true });
  }

  /** A limiter over a memory store of its own, to compare decisions with. */
  reference(limits: readonly Limit[], name = "contract"): Limiter<Key> {
    return createLimiter({ name, limits, clock: this.clock });
  }
}

export type ContractTest = (bench: Bench) => Promise<void>;

/** Cases by name. */
export type ContractTests = Readonly<Record<string, ContractTest>>;

/** How many of `count` calls in a row are admitted. */
export async function admittedOf(limiter: AnyLimiter, count: number, key: Key, cost = 1): Promise<number> {
  let admitted = 0;
  for (let i = 0; i < count; i += 1) if (await limiter.allow(key, cost)) admitted += 1;
  return admitted;
}

export async function sizeOf(limiter: AnyLimiter): Promise<number> {
  return limiter.kind === "sync" ? limiter.size : limiter.size();
}

/** A combination of limiters over one store. */
export function combineAny(one: AnyLimiter, other: AnyLimiter): AnyLimiter {
  if (one.kind === "sync" && other.kind === "sync") return combine(one, other);
  if (one.kind === "async" && other.kind === "async") return combine(one, other);
  throw new Error("expected limiters of one kind");
}

/** The denial with which a call ends that was to wait. @throws Error when it ends otherwise. */
export async function denialOf(call: Promise<unknown>): Promise<Denied> {
  const error: unknown = await call.then(
    () => "nothing",
    (thrown: unknown) => thrown,
  );
  if (error instanceof DeniedError) return error.decision;
  throw new Error(`expected a denial, got ${String(error)}`);
}

/** Compares plain values, lists and objects. @throws Error when the two differ. */
export function same(what: string, actual: unknown, expected: unknown): void {
  const got = text(actual);
  const wanted = text(expected);
  if (got !== wanted) throw new Error(`${what}: expected ${wanted}, got ${got}`);
}

/** JSON, with infinite numbers and NaN as text. Leases are what a store knows in addition. */
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
