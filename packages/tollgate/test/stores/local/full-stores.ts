import { type CapacityOptions, type Limiter, type LocalStore, memoryStore } from "tollgate";
import { tableStore } from "tollgate/table";

export interface BoundedStore {
  readonly kind: string;
  readonly create: (options: CapacityOptions & { readonly maxKeys: number }) => LocalStore;
  /** How many keys find room for sure when it is made for a single one; the next finds none, whichever it is. */
  readonly room: number;
}

/** Every store in this process with a bound on its keys. */
export const BOUNDED_STORES: readonly BoundedStore[] = [
  { kind: "memory", create: (options) => memoryStore(options), room: 1 },
  // Two sets of four slots, in either of which every key may lie.
  { kind: "table", create: (options) => tableStore(options), room: 8 },
];

/** Takes all room of a store that was made for one key. */
export function fill({ room }: BoundedStore, limiter: Limiter, cost = 1): void {
  for (let i = 0; i < room; i += 1) limiter.charge(`filler-${i}`, cost);
}

/** Keys that nobody has used yet. */
export function freshKeys(count: number, prefix = "fresh"): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
}

/** Those of some keys that count in the same overflow bucket as `key`, which it empties. */
export function sharersOf(key: string, limiter: Limiter, keys: readonly string[]): string[] {
  for (let i = 0; i < 100 && limiter.allow(key); i += 1);
  return keys.filter((one) => !limiter.peek(one).allowed);
}
