import type { Limit } from "tollgate";
import type { Call } from "./model-call.ts";
import type { Race } from "./race.ts";

/** What threads meet, and what they call. */
export interface Scenario {
  readonly name: string;
  readonly limits: readonly Limit[];
  readonly overflow: "share" | "deny";
  /** Calls that one thread has made before. */
  readonly before: readonly Call[];
  /** What each thread calls. */
  readonly programs: readonly (readonly Call[])[];
  /** The keys whose state is compared afterwards, and at which moments. */
  readonly keys: readonly string[];
  readonly lookAtMs: readonly number[];
  /** Whether threads begin to look for a desk at the same one, as the first and the 1025th do, or each at its own. */
  readonly writeSlots: "same" | "own";
  /**
   * Whether each thread keeps its limiter, or makes a new one for each call, which has been used before for a look at the first key: then
   * a thread remembers nothing from call to call, and many more calls can be explored.
   */
  readonly limiters: "kept" | "new";
  /** Whether, in the middle of it, one of the threads may be terminated. */
  readonly deaths: "one" | "none";
  /** Runs in which a call takes more steps than so many that others can interfere with are not followed. */
  readonly mostSteps: number;
  /**
   * Where calls are counted: keys with the same place share a bucket. Of calls on different places the order does not matter: each place is
   * compared by itself. `undefined` where places depend on each other, because there is no room for all.
   */
  readonly placeOf: ((key: string) => string) | undefined;
  /** Where places depend on each other: how many there are. */
  readonly maxKeys: number;
  /**
   * Where two limiters are asked, alone or combined: then `limits` do not matter, and calls need not be linearizable.
   */
  readonly race?: Race;
}

/** What most scenarios have in common. */
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

/** The calls of one thread at one moment: a verb and a key each, and the cost if it is not 1. */
export function callsAt(nowMs: number, ...calls: readonly [Call["verb"], string, number?][]): Call[] {
  return calls.map(([verb, key, cost = 1]) => ({ verb, key, cost, nowMs }));
}
