import { type CapacityOptions, type Limiter, type LocalStore, memoryStore } from "tollgate";
import { tableStore } from "tollgate/table";

export interface BoundedStore {
  readonly kind: string;
  readonly create: (options: CapacityOptions & { readonly maxKeys: number }) => LocalStore;
  /** How many keys get slots in a store with maxKeys of 1. No further key gets one. */
  readonly slots: number;
}

/** The stores of this process that bound their keys. */
export const BOUNDED_STORES: readonly BoundedStore[] = [
  { kind: "memory", create: (options) => memoryStore(options), slots: 1 },
  // There are eight sets of four slots, and every key may lie in each.
  { kind: "table", create: (options) => tableStore(options), slots: 32 },
];

/** Fills all slots of a store with maxKeys of 1. */
export function fill({ slots }: BoundedStore, limiter: Limiter, cost = 1): void {
  for (let i = 0; i < slots; i += 1) limiter.charge(`filler-${i}`, cost);
}

/** Keys without any calls so far. */
export function freshKeys(count: number, prefix = "fresh"): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
}

/** Empties the overflow bucket of `key`, and returns the keys that share this bucket. */
export function sharersOf(key: string, limiter: Limiter, keys: readonly string[]): string[] {
  for (let i = 0; i < 100 && limiter.allow(key); i += 1);
  return keys.filter((one) => !limiter.peek(one).allowed);
}
