import {
  type AsyncLimiter,
  createLimiter,
  type Limiter,
  type LimiterOptions,
  memoryStore,
  type OverflowPolicy,
} from "tollgate";
import { sharedStore } from "tollgate/shared";
import type { AsyncStore, SyncStore } from "tollgate/store";
import { tableStore } from "tollgate/table";
import { vi } from "vitest";
import { AsyncTwin } from "../testing/async-twin.ts";

export type AnyStore = SyncStore | AsyncStore;
export type AnyLimiter = Limiter | AsyncLimiter;

export interface Capacity {
  readonly maxKeys: number;
  readonly overflow?: OverflowPolicy;
}

const AMPLE: Capacity = { maxKeys: 100_000 };

export const EVERY_STORE: readonly [string, (capacity?: Capacity) => AnyStore][] = [
  ["the memory store", (capacity = AMPLE) => memoryStore(capacity)],
  ["the table store", (capacity = AMPLE) => tableStore(capacity)],
  ["the shared store", (capacity = AMPLE) => sharedStore({ ...capacity, maxBytes: 2 ** 30 })],
  ["the asynchronous twin", (capacity = AMPLE) => new AsyncTwin(memoryStore(capacity))],
];

/** Small stores of this process. */
export const IN_PROCESS: readonly [name: string, createStore: () => SyncStore][] = [
  ["the memory store", () => memoryStore()],
  ["the table store", () => tableStore({ maxKeys: 64, maxBytes: 2 ** 24 })],
  ["the shared store", () => sharedStore({ maxKeys: 64, maxBytes: 2 ** 25 })],
];

export function limiterOver(
  store: AnyStore,
  options: LimiterOptions<string> & { readonly key?: (input: string) => string },
): AnyLimiter {
  // Without a key function the input is the key.
  const all = { key: (input: string) => input, ...options };
  return createLimiter({ ...all, store });
}

/**
 * Deals one random secret to all, so that two stores hash alike, however many secrets a call draws. The hashes decide
 * which keys share an overflow bucket, and which keys a table has a slot for.
 */
export function dealOneSecret(): void {
  vi.spyOn(globalThis.crypto, "getRandomValues").mockImplementation((array) => {
    if (!(array instanceof Int32Array)) throw new Error("expected words");
    for (let i = 0; i < array.length; i += 1) array[i] = Math.imul(array.length + i, 0x9e3779b1);
    return array;
  });
}
