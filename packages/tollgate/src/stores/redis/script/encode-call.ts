import { RUN } from "../clients/cancel-flag.ts";
import type { ScriptCall } from "../clients/redis-port.ts";
import type { EncodedPlan } from "./encode-plan.ts";
import { SCRIPT_VERBS } from "./script-verbs.ts";
import type { ScriptTransaction } from "./transaction.ts";

/** What one call of the script carries. */
export interface ScriptInput {
  /** Which clock decides: the server's, or the caller's, with a moment per transaction. */
  readonly time: "server" | "client";
  /** Whole milliseconds by which every key expires late, because clients' clocks may differ by that much. */
  readonly extraMs: number;
  /** At least one. The script runs them in this order, atomically. */
  readonly transactions: readonly ScriptTransaction[];
}

// Flags of a transaction, added up.
const REPORTS_EACH = 1;
const REPORTS_TIME = 2;
const HAS_TAKEN_TIME = 4;

/** An encoded call. */
export interface EncodedCall extends Omit<ScriptCall, "cancelFlag"> {
  /** The value of the cancel flag while the call may run. */
  readonly form: string;
}

/**
 * Encodes a call. A lone take from one limit is in a form of its own, which the cancel flag names
 * (`lua/lone-calls.ts`). Otherwise, after the cancel flag (`1`: run), come the time in microseconds of the
 * last transaction (empty: the server's time), and the extra milliseconds. One of three forms follows, in which keys
 * and plans are numbered from 1:
 *
 * - `one`, capacity, ticks of a unit, origin, ticks of a microsecond; then runs of first key, last key, times, cost.
 *   It takes from one plan of one bucket that `EncodedPlan.buckets` describes.
 * - `several`, number of plans; per plan `<` and a `d` for every bucket, then its numbers; then runs of first key,
 *   last key, plan, times, costs. It takes from several such buckets.
 * - number of plans, their `EncodedPlan.texts`, number of transactions; per transaction the verb's name, the sum of
 *   its flags, times, `takenUs`, number of keys; per key its number, its plan, its costs. The flags are 1 for a report
 *   per call, 2 if the reply has the time, and 4 if `takenUs` follows.
 *
 * Where the moment changes, the new one comes first: after `0` in place of a key, after `@` in place of a verb. All
 * forms decide alike and have the same reply.
 */
export function encodeCall({ time, extraMs, transactions }: ScriptInput): EncodedCall {
  const first = transactions[0]!;
  const { plan, costs, name } = first.keys[0]!;
  const { loneForm } = plan;
  if (loneForm !== undefined && time === "server" && extraMs === 0 && transactions.length === 1 && isLoneTake(first)) {
    const cost = costs[0]!;
    const form = first.detail === "each" ? loneForm.nameWithFigures : loneForm.name;
    return { form, keys: [name], args: cost === 1 ? loneForm.args : [...loneForm.args, String(cost)] };
  }
  const names = new Map<string, number>();
  const moments = new Moments(time, transactions[transactions.length - 1]!.nowUs);
  const args = transactions.every(hasShortForm)
    ? argsOfRuns(names, moments, transactions)
    : argsOfTransactions(names, moments, transactions);
  return { form: RUN, keys: [...names.keys()], args: [moments.lastText, String(extraMs)].concat(args) };
}

/** Whether it takes at least one unit once. */
function isLoneTake({ verb, times, keys, reportsTime }: ScriptTransaction): boolean {
  if (!SCRIPT_VERBS[verb].hasShortForm || reportsTime === true) return false;
  return times === 1 && keys.length === 1 && keys[0]!.costs[0]! > 0;
}

/** Detects where the moment changes. */
class Moments {
  /** Empty where the server's clock decides. */
  readonly lastText: string;
  readonly #byClient: boolean;
  #atUs: number;

  constructor(time: "server" | "client", lastUs: number) {
    this.#byClient = time === "client";
    this.lastText = this.#byClient ? String(lastUs) : "";
    this.#atUs = lastUs;
  }

  /** Whether the moment differs from the previous one. The first is compared with the last. */
  changesTo(nowUs: number): boolean {
    if (!this.#byClient || nowUs === this.#atUs) return false;
    this.#atUs = nowUs;
    return true;
  }
}

/** Whether the short forms can run it: a take from a plan of exact buckets, without the time in the reply. */
export function hasShortForm({ verb, keys, reportsTime }: ScriptTransaction): boolean {
  const isSimple = SCRIPT_VERBS[verb].hasShortForm && reportsTime !== true;
  return isSimple && keys.length === 1 && keys[0]!.plan.buckets !== undefined;
}

/** Arguments of the form `one` or `several`. */
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

/** Consecutive keys with the same plan, times and costs, which are encoded once. */
interface Run {
  readonly first: number;
  last: number;
  readonly plan: number;
  /** How many calls per key; negative with a report per call. */
  readonly times: number;
  readonly costs: readonly number[];
  /** The new moment, from this run on, where it changes. */
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

/** Encodes what comes before the keys of a transaction. */
function pushHead(steps: string[], { verb, detail, reportsTime, times, takenUs, keys }: ScriptTransaction): void {
  let flags = detail === "each" ? REPORTS_EACH : 0;
  if (reportsTime === true) flags += REPORTS_TIME;
  if (takenUs !== undefined) flags += HAS_TAKEN_TIME;
  steps.push(SCRIPT_VERBS[verb].name, String(flags), String(times));
  if (takenUs !== undefined) steps.push(String(takenUs));
  steps.push(String(keys.length));
}

/** The number of a value, counted from 1 in the order of first use. */
function numberOf<T>(seen: Map<T, number>, value: T): number {
  const known = seen.get(value);
  if (known !== undefined) return known;
  seen.set(value, seen.size + 1);
  return seen.size;
}
