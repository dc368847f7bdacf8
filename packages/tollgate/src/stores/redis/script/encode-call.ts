import type { Limit } from "../../../core/limits/limit.ts";
import { encodeReason } from "../../../core/reason-numbers.ts";
import type { ScriptCall } from "../clients/redis-port.ts";
import { type EncodedPlan, encodeLostLayout } from "./encode-plan.ts";
import { pushLease } from "./lease.ts";
import type { LayoutTexts } from "./other-layouts.ts";
import { SCRIPT_VERBS } from "./script-verbs.ts";
import type { ScriptBlock, ScriptTransaction } from "./transaction.ts";

/** What one call of the script carries. */
export interface ScriptInput {
  /** The moment of all transactions in whole microseconds, in tests. By default the server's clock decides. */
  readonly nowUs?: number | undefined;
  /** At least one. The script runs them in this order, atomically. */
  readonly transactions: readonly ScriptTransaction[];
  /** Layouts whose descriptions are lost: what counts under them counts as used up. */
  readonly lost?: readonly string[];
}

// Flags of a transaction, added up.
const REPORTS_EACH = 1;
const REPORTS_TIME = 2;
const HAS_TAKEN_TIME = 4;
const HAS_RECEIPTS = 8;

/** An encoded call. */
export interface EncodedCall extends Omit<ScriptCall, "cancelFlag"> {
  /** The limits that the arguments describe with their layouts, as the reply numbers them, from 1. */
  readonly described?: readonly Limit[] | undefined;
}

/**
 * Encodes a call. After the cancel flag (`1`: run) comes the time in microseconds (empty: the server's time). One of
 * two forms follows, in which keys and plans are numbered from 1:
 *
 * - `buckets`, number of plans; per plan `<` and a `d` for every bucket, its head, its numbers; then runs of first
 *   key, last key, plan, times, costs. It takes from plans of buckets that `EncodedPlan.buckets` describes.
 * - number of plans, their `EncodedPlan.texts`; the same for layouts of other limits; number of transactions.
 *   A transaction is the verb's name, the sum of its flags, times, `takenUs`, an operator's block, a `LeaseAsk`,
 *   number of keys; per key its number, its plan, its costs. The flags are 1 for a report per call, 2 if the reply has
 *   the time, 4 if `takenUs` follows, and 8 if `ScriptKey.untilUs` follows the costs.
 *
 * Both forms decide alike and have the same reply.
 */
export function encodeCall({ nowUs, transactions, lost = [] }: ScriptInput): EncodedCall {
  const names = new Map<string, number>();
  const start = [nowUs === undefined ? "" : String(nowUs)];
  if (transactions.every(hasShortForm)) {
    const args = argsOfRuns(names, transactions);
    return { keys: [...names.keys()], args: start.concat(args) };
  }
  const { args, described } = argsOfTransactions(names, transactions, lost);
  return { keys: [...names.keys()], args: start.concat(args), described };
}

/**
 * Whether the form `buckets` can run it: a take from a plan of exact buckets, in values of the plan's own layout,
 * without the time in the reply.
 */
export function hasShortForm({ verb, keys, reportsTime }: ScriptTransaction): boolean {
  if (!SCRIPT_VERBS[verb].hasShortForm || reportsTime === true || keys.length !== 1) return false;
  const { buckets, others } = keys[0]!.plan;
  return buckets !== undefined && !others.areExpected;
}

/** Arguments of the form `buckets`. */
function argsOfRuns(names: Map<string, number>, transactions: readonly ScriptTransaction[]): string[] {
  const plans = new Map<EncodedPlan, number>();
  const runs = runsOf(names, plans, transactions);
  const args = ["buckets", String(plans.size)];
  for (const { buckets = [], head } of plans.keys())
    args.push(`<${"d".repeat(buckets.length)}`, head, ...buckets.flat());
  for (const { first, last, plan, times, costs } of runs) {
    args.push(String(first), String(last), String(plan), String(times));
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
    const isNext = run?.last === key - 1 && run.plan === plan && run.times === times;
    if (isNext && run !== undefined && areAlike(run.costs, costs)) {
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

function argsOfTransactions(
  names: Map<string, number>,
  transactions: readonly ScriptTransaction[],
  lost: readonly string[],
): { args: string[]; described: readonly Limit[] } {
  const plans = new Map<EncodedPlan, number>();
  const steps = [String(transactions.length)];
  for (const transaction of transactions) {
    pushHead(steps, transaction);
    for (const { name, plan, costs, untilUs } of transaction.keys) {
      steps.push(String(numberOf(names, name)), String(numberOf(plans, plan)));
      pushNumbers(steps, plan, costs);
      if (hasReceipts(transaction)) pushNumbers(steps, plan, untilUs);
    }
  }
  const own = [...plans.keys()];
  const others = othersOf(own);
  const texts = [...own, ...others].map((layout) => layout.texts);
  texts.splice(own.length, 0, [String(others.length + lost.length)]);
  const described = [...own.map(({ plan }) => plan), ...others].flatMap(({ limits }) => limits);
  return { args: [String(own.length)].concat(...texts, ...lost.map(encodeLostLayout), steps), described };
}

/** One number per limit. */
function pushNumbers(steps: string[], { plan }: EncodedPlan, numbers: readonly number[] = []): void {
  for (let i = 0; i < plan.limits.length; i += 1) steps.push(String(numbers[i] ?? 0));
}

function hasReceipts({ keys }: ScriptTransaction): boolean {
  return keys.some(({ untilUs }) => untilUs !== undefined);
}

/** The layouts of other limits that calls of these plans met lately. */
function othersOf(plans: readonly EncodedPlan[]): LayoutTexts[] {
  const others = new Map<string, LayoutTexts>();
  for (const { others: met } of plans) for (const layout of met.describe()) others.set(layout.id, layout);
  return [...others.values()];
}

/** Encodes what comes before the keys of a transaction. */
function pushHead(steps: string[], transaction: ScriptTransaction): void {
  const { verb, detail, reportsTime, times, takenUs, block, lease, keys } = transaction;
  let flags = detail === "each" ? REPORTS_EACH : 0;
  if (reportsTime === true) flags += REPORTS_TIME;
  if (takenUs !== undefined) flags += HAS_TAKEN_TIME;
  if (hasReceipts(transaction)) flags += HAS_RECEIPTS;
  steps.push(SCRIPT_VERBS[verb].name, String(flags), String(times));
  if (takenUs !== undefined) steps.push(String(takenUs));
  if (block !== undefined) pushBlock(steps, block);
  if (lease !== undefined) pushLease(steps, lease);
  steps.push(String(keys.length));
}

/** 0 to end a block, 1 for one that lasts, 2 for one until a moment; the microseconds; the reason's numbers. */
function pushBlock(steps: string[], { end, reason }: ScriptBlock): void {
  if (end === "none") steps.push("0", "0");
  else steps.push(...("forUs" in end ? ["1", String(end.forUs)] : ["2", String(end.untilUs)]));
  const numbers = encodeReason(reason);
  steps.push(String(numbers.length), ...numbers.map(String));
}

/** The number of a value, counted from 1 in the order of first use. */
function numberOf<T>(seen: Map<T, number>, value: T): number {
  const known = seen.get(value);
  if (known !== undefined) return known;
  seen.set(value, seen.size + 1);
  return seen.size;
}
