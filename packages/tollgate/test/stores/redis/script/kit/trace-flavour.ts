import type { ScriptVerb } from "../../../../../src/stores/redis/script/transaction.ts";
import type { LimitSpec } from "../../../../properties/limit-spec.ts";
import { ALL_LIMITS, EXACT_BUCKETS, HUGE_WINDOWS, INEXACT_BUCKETS, SHORT_RINGS } from "./limit-pool.ts";

/**
 * The movement of the clock. If it may go back, both stores drop an idle key whenever it is written; otherwise only
 * Redis does.
 */
export type ClockKind = "forward" | "back-and-forth" | "crowded" | "paced" | "round";

/** Kinds of costs: the remaining units, the capacity, give or take a unit; up to a million million; the greatest. */
export type CostKind = "one" | "few" | "some" | "left" | "capacity" | "part" | "many" | "most";

/** The composition of a trace. Numbers are weights, except those of `steps`. */
export interface Flavour {
  readonly limits: readonly LimitSpec[];
  /** The number of limits of a plan. */
  readonly limitsOfPlan: readonly number[];
  readonly mostPlans: number;
  readonly keys: readonly string[];
  readonly clocks: Partial<Readonly<Record<ClockKind, number>>>;
  readonly verbs: Partial<Readonly<Record<ScriptVerb, number>>>;
  readonly costs: Partial<Readonly<Record<CostKind, number>>>;
  /** The minimum and the maximum. */
  readonly steps: readonly [number, number];
  /** The weight of batches of takes. */
  readonly batches: number;
  /** The weight of transactions on several keys. */
  readonly together: number;
}

const KEYS = ["ann", "__proto__", "\u00e9ve \u{1f511}"];
const ANY_COSTS = { few: 9, left: 6, capacity: 3, part: 3, many: 1, most: 0.3 } as const;

export const FLAVOURS: Readonly<Record<"any" | "batches" | "rings" | "crowds" | "huge" | "round", Flavour>> = {
  any: {
    limits: ALL_LIMITS,
    limitsOfPlan: [1, 1, 1, 2, 2, 3],
    mostPlans: 2,
    keys: KEYS,
    clocks: { forward: 2, "back-and-forth": 4, crowded: 1 },
    verbs: { take: 9, charge: 4, refund: 4, peek: 2, explain: 2, drop: 1 },
    costs: ANY_COSTS,
    steps: [3, 8],
    batches: 0,
    together: 0.3,
  },
  batches: {
    limits: EXACT_BUCKETS,
    limitsOfPlan: [1, 1, 1, 2, 2, 3],
    mostPlans: 2,
    keys: [...KEYS, "bob", "cat", "dan", ""],
    clocks: { forward: 2, "back-and-forth": 4 },
    verbs: { take: 6, charge: 6, refund: 3, peek: 1, explain: 1, drop: 1 },
    costs: { ...ANY_COSTS, most: 1 },
    steps: [3, 9],
    batches: 0.75,
    together: 0.2,
  },
  rings: {
    limits: SHORT_RINGS,
    limitsOfPlan: [1],
    mostPlans: 1,
    keys: ["ann"],
    clocks: { paced: 1 },
    verbs: { take: 3, charge: 6, refund: 3, explain: 1 },
    costs: { one: 5, some: 3, left: 1 },
    steps: [20, 60],
    batches: 0,
    together: 0,
  },
  crowds: {
    limits: SHORT_RINGS,
    limitsOfPlan: [1],
    mostPlans: 1,
    keys: ["ann"],
    clocks: { crowded: 1 },
    verbs: { take: 3, charge: 6, refund: 3, explain: 1 },
    costs: { one: 5, some: 3, left: 1 },
    steps: [20, 45],
    batches: 0,
    together: 0,
  },
  huge: {
    limits: HUGE_WINDOWS,
    limitsOfPlan: [1],
    mostPlans: 1,
    keys: ["ann"],
    clocks: { paced: 4, crowded: 1 },
    verbs: { take: 6, charge: 2, refund: 1, explain: 1 },
    costs: { one: 1, left: 2, part: 4, capacity: 1 },
    steps: [10, 30],
    batches: 0,
    together: 0,
  },
  round: {
    limits: INEXACT_BUCKETS,
    limitsOfPlan: [1],
    mostPlans: 1,
    keys: ["ann"],
    clocks: { round: 1 },
    verbs: { take: 6, charge: 1, peek: 2, explain: 2 },
    costs: { few: 2, capacity: 6, left: 1 },
    steps: [10, 20],
    batches: 0,
    together: 0,
  },
};
