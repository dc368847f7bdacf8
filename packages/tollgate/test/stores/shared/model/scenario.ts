import type { Limit, OnChange } from "tollgate";
import type { Call } from "./model-call.ts";

/** The state of a store, and the calls of each thread. */
export interface Scenario {
  readonly name: string;
  readonly limits: readonly Limit[];
  /** The lists of further versions of the limiter, whose calls name them from 1 on. */
  readonly versions?: readonly (readonly Limit[])[];
  readonly onChange?: OnChange;
  readonly overflow: "share" | "deny";
  /** Calls that one thread makes before the others start. */
  readonly before: readonly Call[];
  /** The calls of each thread. */
  readonly programs: readonly (readonly Call[])[];
  /** The keys whose final state is compared, and the times for which it is. */
  readonly keys: readonly string[];
  readonly lookAtMs: readonly number[];
  /** Whether all threads try the same write slot first, as the first and the 1025th do, or each its own. */
  readonly writeSlots: "same" | "own";
  /**
   * Whether each thread keeps its limiter, or makes a new one for each call. A new one has explained the first key
   * once. Then a thread remembers nothing from call to call, and the exploration can cover many more calls.
   */
  readonly limiters: "kept" | "new";
  /** Whether one of the threads may die at any step. */
  readonly deaths: "one" | "none";
  /** A run is cut when a call takes more steps than this. */
  readonly mostSteps: number;
  /**
   * Where calls on a key are counted: keys with the same place share a bucket. The order of calls on different places
   * does not matter, so each place is compared by itself. `undefined` if places depend on each other, because there are
   * not enough slots.
   */
  readonly placeOf: ((key: string) => string) | undefined;
  /** The number of places if they depend on each other. */
  readonly maxKeys: number;
}

/** Defaults of scenarios. */
export const COMMON = {
  overflow: "share",
  before: [],
  lookAtMs: [1000],
  writeSlots: "own",
  limiters: "new",
  deaths: "one",
  mostSteps: Number.POSITIVE_INFINITY,
  placeOf: (key: string) => key,
  maxKeys: 1000,
} as const satisfies Partial<Scenario>;

/** Calls of one thread at one time. Each is a verb, a key, and the cost unless that is 1. */
export function callsAt(nowMs: number, ...calls: readonly [Call["verb"], string, number?][]): Call[] {
  return calls.map(([verb, key, cost = 1]) => ({ verb, key, cost, nowMs }));
}

/** The same calls by another version of the limiter. */
export function byVersion(version: number, calls: readonly Call[]): Call[] {
  return calls.map((call) => ({ ...call, version }));
}
