import type { Limit } from "../../core/limits/limit.ts";
import type { AsyncStore, SyncStore } from "../../core/store.ts";
import { createLimiter } from "../../limiter/create-limiter.ts";
import type { AsyncLimiter, Limiter } from "../../limiter/limiter.ts";
import { type ManualClock, manualClock } from "../manual-clock.ts";

/** One requirement of the store contract. */
export interface ContractCase {
  readonly name: string;
  /** Rejects with an error that says what was expected and what came. */
  readonly run: () => Promise<void>;
  /** Why this store is excused from it. */
  readonly skip?: string;
}

export type AnyStore = SyncStore | AsyncStore;
export type AnyLimiter = Limiter | AsyncLimiter;

/** What a case works on: a fresh store, a clock that it holds, and limiters over both. */
export class Bench {
  readonly store: AnyStore;
  readonly clock: ManualClock;

  constructor(store: AnyStore, startMs: number) {
    this.store = store;
    this.clock = manualClock(startMs);
  }

  limiter(limits: readonly Limit[] | ((key: string) => readonly Limit[]), name = "contract"): AnyLimiter {
    const { store, clock } = this;
    return store.kind === "sync"
      ? createLimiter({ name, limits, clock, store })
      : createLimiter({ name, limits, clock, store });
  }

  /** A twin of a limiter over the reference: a memory store of its own. */
  reference(limits: readonly Limit[], name = "contract"): Limiter {
    return createLimiter({ name, limits, clock: this.clock });
  }
}

/** What a case does with its bench. */
export type ContractTest = (bench: Bench) => Promise<void>;

/** Cases by name. */
export type ContractTests = Readonly<Record<string, ContractTest>>;

/** How many of `count` calls in a row are admitted. */
export async function admittedOf(limiter: AnyLimiter, count: number, key: string, cost = 1): Promise<number> {
  let admitted = 0;
  for (let i = 0; i < count; i += 1) if (await limiter.allow(key, cost)) admitted += 1;
  return admitted;
}

export async function sizeOf(limiter: AnyLimiter): Promise<number> {
  return limiter.kind === "sync" ? limiter.size : limiter.size();
}

/** @throws Error when the two differ; compares plain values, lists and objects. */
export function same(what: string, actual: unknown, expected: unknown): void {
  const got = text(actual);
  const wanted = text(expected);
  if (got !== wanted) throw new Error(`${what}: expected ${wanted}, got ${got}`);
}

/** JSON, with the numbers that JSON has no word for. */
function text(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === "number" && !Number.isFinite(inner) ? String(inner) : inner,
    ) ?? String(value)
  );
}
