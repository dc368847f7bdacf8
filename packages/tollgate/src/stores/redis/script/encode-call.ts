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
   * What is told. `"each"`: the figures of every call; of takes up to the first that is denied, for those after it are denied with the
   * same figures; of peeks and explanations, which change nothing, once. `"first-denied"`: how many were admitted, and the figures of
   * the first that was not.
   */
  readonly detail: "each" | "first-denied";
  /** The moment of its calls in whole microseconds; looked at where the time is the client's. */
  readonly nowUs: number;
  /** Whether the answer tells the moment at which it was decided. */
  readonly tellsTime?: boolean;
  /**
   * Of a refund: the moment at which the units were taken, all of them at once. Buckets are given back what must still count of
   * them, whatever came since; windows nothing.
   */
  readonly takenUs?: number | undefined;
  /** At least one; of `drop` exactly one. */
  readonly keys: readonly ScriptKey[];
}

export interface ScriptInput {
  /** Whose time it is: the server's, or that of each transaction. */
  readonly time: "server" | "client";
  /** Whole milliseconds by which every key is kept longer than needed: as far as clocks may differ. */
  readonly extraMs: number;
  /** Carried out in this order, with nothing in between. At least one. */
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
/** A refund that says when the units were taken. */
const BOUNDED_REFUND = "b";
const TELLS_EACH = 1;
const TELLS_TIME = 2;

/**
 * Writes a call down. After the fence (`1`: go) come the time in microseconds, that of the last transaction (empty: the server's), and the
 * extra milliseconds; then one of three forms, the numbers counted from 1:
 *
 * - `one`, capacity, ticks of a unit, origin, ticks of a microsecond; then runs of first and last key, times, cost: takes from one
 *   plan of one bucket that `EncodedPlan.buckets` knows.
 * - `several`, number of plans; of each `<` and a `d` for every bucket, then its numbers; then runs of first and last key, plan,
 *   times, costs: takes from more of these.
 * - number of plans, their `EncodedPlan.texts`, number of transactions; of each its letter, 1 for the figures of every call and 2 for the
 *   time, times, for `b` when they were taken, number of keys; of each key, plan, costs.
 *
 * Where the moment is another one than before, it comes first: after `0` in place of a key, after `@` in place of a letter. All forms decide
 * alike and are answered alike.
 */
export function encodeCall({ time, extraMs, transactions }: ScriptInput): EncodedCall {
  const names = new Map<string, number>();
  const moments = new Moments(time, transactions[transactions.length - 1]!.nowUs);
  const args = transactions.every(isQuick)
    ? argsOfRuns(names, moments, transactions)
    : argsOfTransactions(names, moments, transactions);
  return { keys: [...names.keys()], args: [moments.lastText, String(extraMs)].concat(args) };
}

/** Notices where the moment changes. */
class Moments {
  /** Nothing where the time is the server's. */
  readonly lastText: string;
  readonly #byClient: boolean;
  #atUs: number;

  constructor(time: "server" | "client", lastUs: number) {
    this.#byClient = time === "client";
    this.lastText = this.#byClient ? String(lastUs) : "";
    this.#atUs = lastUs;
  }

  /** Whether this is another moment than the one before, at first than the last. */
  changesTo(nowUs: number): boolean {
    if (!this.#byClient || nowUs === this.#atUs) return false;
    this.#atUs = nowUs;
    return true;
  }
}

/** Whether the shorter ways know how to carry it out: a take from a plan of exact buckets that is asked for no time. */
export function isQuick({ verb, keys, tellsTime }: ScriptTransaction): boolean {
  return verb === "take" && keys.length === 1 && keys[0]!.plan.buckets !== undefined && tellsTime !== true;
}

/** One plan of one bucket is the shortest way of all. */
function argsOfRuns(
  names: Map<string, number>,
  moments: Moments,
  transactions: readonly ScriptTransaction[],
): string[] {
  const plans = new Map<EncodedPlan, number>();
  const runs = runsOf(names, plans, moments, transactions);
  const buckets = [...plans.keys()].map((plan) => plan.buckets ?? []);
  const isOne = buckets.length === 1 && buckets[0]!.length === 1;
  const args = isOne
    ? ["one", ...buckets[0]![0]!.slice(1)]
    : [
        "several",
        String(buckets.length),
        ...buckets.flatMap((plan) => [`<${"d".repeat(plan.length)}`, ...plan.flat()]),
      ];
  for (const { first, last, plan, times, costs, fromUs } of runs) {
    if (fromUs !== undefined) args.push("0", String(fromUs));
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
  /** The moment of these and of those after them, where it is another one. */
  readonly fromUs: number | undefined;
}

function runsOf(
  names: Map<string, number>,
  plans: Map<EncodedPlan, number>,
  moments: Moments,
  transactions: readonly ScriptTransaction[],
): Run[] {
  const runs: Run[] = [];
  let run: Run | undefined;
  for (const { times: calls, detail, nowUs, keys } of transactions) {
    const { name, plan: encoded, costs } = keys[0]!;
    const key = numberOf(names, name);
    const plan = numberOf(plans, encoded);
    const times = detail === "each" ? -calls : calls;
    const fromUs = moments.changesTo(nowUs) ? nowUs : undefined;
    const isNext = run?.last === key - 1 && run.plan === plan && run.times === times && fromUs === undefined;
    if (isNext && run !== undefined && areAlike(run.costs, costs)) {
      run.last = key;
      continue;
    }
    run = { first: key, last: key, plan, times, costs, fromUs };
    runs.push(run);
  }
  return runs;
}

function areAlike(some: readonly number[], others: readonly number[]): boolean {
  if (some === others) return true;
  for (let i = 0; i < some.length; i += 1) if (some[i] !== others[i]) return false;
  return true;
}

function argsOfTransactions(
  names: Map<string, number>,
  moments: Moments,
  transactions: readonly ScriptTransaction[],
): string[] {
  const plans = new Map<EncodedPlan, number>();
  const steps = [String(transactions.length)];
  for (const transaction of transactions) {
    if (moments.changesTo(transaction.nowUs)) steps.push("@", String(transaction.nowUs));
    pushHead(steps, transaction);
    for (const { name, plan, costs } of transaction.keys) {
      steps.push(String(numberOf(names, name)), String(numberOf(plans, plan)));
      for (let i = 0; i < plan.plan.limits.length; i += 1) steps.push(String(costs[i] ?? 0));
    }
  }
  return [String(plans.size)].concat(...[...plans.keys()].map(({ texts }) => texts), steps);
}

/** What comes before the keys of a transaction. */
function pushHead(steps: string[], { verb, detail, tellsTime, times, takenUs, keys }: ScriptTransaction): void {
  const told = (detail === "each" ? TELLS_EACH : 0) + (tellsTime === true ? TELLS_TIME : 0);
  steps.push(takenUs === undefined ? LETTERS[verb] : BOUNDED_REFUND, String(told), String(times));
  if (takenUs !== undefined) steps.push(String(takenUs));
  steps.push(String(keys.length));
}

/** The place of a value among those seen, counted from 1. */
function numberOf<T>(seen: Map<T, number>, value: T): number {
  const known = seen.get(value);
  if (known !== undefined) return known;
  seen.set(value, seen.size + 1);
  return seen.size;
}
