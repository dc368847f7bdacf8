import type { Verb } from "../../../core/store.ts";
import type { EncodedPlan } from "./encode-plan.ts";

/** What a transaction does: a verb, or `drop`, which removes a key if it is as good as new. */
export type ScriptVerb = Verb | "drop";

/** One key of a transaction. */
export interface ScriptKey {
  /** Its name in Redis, from which every plan variant of the same cells is found. */
  readonly name: string;
  readonly plan: EncodedPlan;
  /** One checked cost per limit of the plan. `drop` looks at none. */
  readonly costs: readonly number[];
}

/** Keys that are counted together, all or nothing. */
export interface ScriptTransaction {
  readonly verb: ScriptVerb;
  /** How many calls of this kind there are, one after another at the same instant. */
  readonly times: number;
  /**
   * What is told. `"each"`: the figures of every call. `"first-denied"`: how many were admitted, and the figures of the first that
   * was not; those after it are denied with the same figures, unless the verb is `charge`.
   */
  readonly detail: "each" | "first-denied";
  /** At least one; of `drop` exactly one. */
  readonly keys: readonly ScriptKey[];
}

export interface ScriptInput {
  /** The time in whole microseconds; `undefined` leaves it to the server. */
  readonly nowUs: number | undefined;
  /** Whole milliseconds by which every key is kept longer than needed: as far as clocks may differ. */
  readonly extraMs: number;
  /** Carried out in this order, all at one instant. */
  readonly transactions: readonly ScriptTransaction[];
}

/** What the script is called with, but for the fence before the arguments. */
export interface EncodedCall {
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

const LETTERS = {
  take: "t",
  peek: "p",
  explain: "e",
  charge: "c",
  refund: "r",
  drop: "d",
} as const satisfies Record<ScriptVerb, string>;

/**
 * Writes a call down. After the fence (`1`: go) come the time in microseconds (empty: the server's) and the extra milliseconds; then
 * one of three forms, the numbers counted from 1:
 *
 * - `one`, capacity, ticks of a unit, origin, ticks of a microsecond; then runs of first and last key, times, cost: takes from one
 *   plan of one bucket that `EncodedPlan.buckets` knows.
 * - `several`, number of plans; of each `<` and a `d` for every bucket, then its numbers; then runs of first and last key, plan,
 *   times, costs: takes from more of these.
 * - number of plans, their `EncodedPlan.texts`, number of transactions; of each its letter, 1 for the figures of every call, times,
 *   number of keys; of each key, plan, costs.
 *
 * All forms decide alike and are answered alike.
 */
export function encodeCall({ nowUs, extraMs, transactions }: ScriptInput): EncodedCall {
  const names = new Map<string, number>();
  const takes = transactions.length <= MOST_AT_ONCE && transactions.every(takesFromBuckets);
  const args = takes ? argsOfRuns(names, transactions) : argsOfTransactions(names, transactions);
  return { keys: [...names.keys()], args: [nowUs === undefined ? "" : String(nowUs), String(extraMs)].concat(args) };
}

/** The shorter ways read all keys at once; Lua has no room for more than some thousands. */
const MOST_AT_ONCE = 1_000;

function takesFromBuckets({ verb, keys }: ScriptTransaction): boolean {
  return verb === "take" && keys.length === 1 && keys[0]!.plan.buckets !== undefined;
}

/** One plan of one bucket is the shortest way of all. */
function argsOfRuns(names: Map<string, number>, transactions: readonly ScriptTransaction[]): string[] {
  const plans = new Map<EncodedPlan, number>();
  const runs = runsOf(names, plans, transactions);
  const buckets = [...plans.keys()].map((plan) => plan.buckets ?? []);
  const isOne = buckets.length === 1 && buckets[0]!.length === 1;
  const args = isOne
    ? ["one", ...buckets[0]![0]!.slice(1)]
    : [
        "several",
        String(buckets.length),
        ...buckets.flatMap((plan) => [`<${"d".repeat(plan.length)}`, ...plan.flat()]),
      ];
  for (const { first, last, plan, times, costs } of runs) {
    args.push(String(first), String(last));
    if (!isOne) args.push(String(plan));
    args.push(String(times));
    for (const cost of costs) args.push(String(cost));
  }
  return args;
}

/** Keys that follow each other, of which the same is asked: that is said once. */
interface Run {
  readonly first: number;
  last: number;
  readonly plan: number;
  /** How often; below 0 where every call's figures are wanted. */
  readonly times: number;
  readonly costs: readonly number[];
}

function runsOf(
  names: Map<string, number>,
  plans: Map<EncodedPlan, number>,
  transactions: readonly ScriptTransaction[],
): Run[] {
  const runs: Run[] = [];
  let run: Run | undefined;
  for (const { times: calls, detail, keys } of transactions) {
    const { name, plan: encoded, costs } = keys[0]!;
    const key = numberOf(names, name);
    const plan = numberOf(plans, encoded);
    const times = detail === "each" ? -calls : calls;
    if (run?.last === key - 1 && run.plan === plan && run.times === times && areAlike(run.costs, costs)) {
      run.last = key;
      continue;
    }
    run = { first: key, last: key, plan, times, costs };
    runs.push(run);
  }
  return runs;
}

function areAlike(some: readonly number[], others: readonly number[]): boolean {
  if (some === others) return true;
  for (let i = 0; i < some.length; i += 1) if (some[i] !== others[i]) return false;
  return true;
}

function argsOfTransactions(names: Map<string, number>, transactions: readonly ScriptTransaction[]): string[] {
  const plans = new Map<EncodedPlan, number>();
  const steps = [String(transactions.length)];
  for (const { verb, times, detail, keys } of transactions) {
    steps.push(LETTERS[verb], detail === "each" ? "1" : "0", String(times), String(keys.length));
    for (const { name, plan, costs } of keys) {
      steps.push(String(numberOf(names, name)), String(numberOf(plans, plan)));
      for (let i = 0; i < plan.plan.limits.length; i += 1) steps.push(String(costs[i] ?? 0));
    }
  }
  return [String(plans.size)].concat(...[...plans.keys()].map(({ texts }) => texts), steps);
}

/** The place of a value among those seen, counted from 1. */
function numberOf<T>(seen: Map<T, number>, value: T): number {
  const known = seen.get(value);
  if (known !== undefined) return known;
  seen.set(value, seen.size + 1);
  return seen.size;
}
