import { REACH_US } from "../../../algorithms/ticks.ts";
import { encodeReason } from "../../../core/reason-numbers.ts";
import type { ScriptCall } from "../clients/redis-port.ts";
import type { EncodedPlan } from "./encode-plan.ts";
import { leaseParts } from "./lease.ts";
import { SCRIPT_VERBS } from "./script-verbs.ts";
import type { KeptReceipt, KeptScriptCall, ScriptBlock, ScriptTransaction } from "./transaction.ts";

/** 2035-01-01 in UTC. All calls by the server's time count ticks from it, because cells outlive processes. */
export const ORIGIN_US = 2_051_222_400_000_000;

/** What one call of the script carries. */
export interface ScriptInput {
  /** The moment of all transactions in whole microseconds, in tests. By default the server's clock decides. */
  readonly nowUs?: number | undefined;
  /** At least one. The script runs them in this order, atomically. */
  readonly transactions: readonly ScriptTransaction[];
}

type PlanText = Pick<EncodedPlan, "text">;

/** An encoded call. */
export type EncodedCall = Omit<ScriptCall, "cancelFlag">;

/** Writes a call for a server. */
export type EncodeCall = (input: ScriptInput) => EncodedCall;

/** Runs of takes, and of charges. */
const TAKES = "t";
const CHARGES = "c";
/** More than the moment of any receipt. */
const NOT_KNOWN = Number.MAX_SAFE_INTEGER;

/**
 * Encodes a call. After the cancel flag (`1`: run) come `EncodedPlan.text` of each plan, and then the transactions.
 * Each is one text of words, because a client takes as long for a short argument as for a long one. Keys and plans are
 * numbered from 1. A test puts `@`, the time in microseconds and the origin of ticks before the plans.
 *
 * Takes and single charges of one key are in runs: `t` or `c`, the first key, the last key, the plan, how many calls
 * each key has (negative with a report per call), and the costs. Another transaction is JSON, which servers read in C,
 * and objects take three times as long as arrays: the verb's name, times, whether each call has a report, the keys, and
 * `takenUs`, an operator's block, a `LeaseAsk` or a `KeptReceipt`. Per key there are its number, its plan, its costs,
 * and what its receipt says.
 */
export function encodeCall({ nowUs, transactions }: ScriptInput): EncodedCall {
  const names: KeyNames = { list: [], numbers: undefined };
  // The script expects at least one plan. Nearly all calls have one, and a list that grows has room for 16 more.
  const plans: PlanText[] = [transactions[0]!.keys[0]!.plan];
  const steps: (string | Run)[] = [];
  let run: Run | undefined;
  for (const transaction of transactions) {
    const word = wordOf(transaction);
    if (word === undefined) {
      steps.push(textOf(transaction, names, plans));
      run = undefined;
      continue;
    }
    const { name, plan } = transaction.keys[0]!;
    const number = keyNumber(names, name);
    if (run?.word === word && run.last === number - 1 && areAlike(run.like, transaction)) run.last = number;
    else {
      run = { word, first: number, last: number, plan: planNumber(plans, plan), like: transaction };
      steps.push(run);
    }
  }
  const args = nowUs === undefined ? [] : [`@${nowUs} ${originOf(nowUs)}`];
  for (const { text } of plans) args.push(text);
  for (const step of steps) args.push(typeof step === "string" ? step : textOfRun(step));
  return { keys: names.list, args };
}

/** In tests of any date: an origin that is near enough for exact ticks, the same for 40 years. */
export function originOf(nowUs: number): number {
  return ORIGIN_US + Math.floor((nowUs - ORIGIN_US + REACH_US) / (2 * REACH_US)) * 2 * REACH_US;
}

/** What begins a run of such transactions; `undefined` where they are not in runs. */
function wordOf({ verb, times, keys }: ScriptTransaction): string | undefined {
  if (keys.length !== 1) return undefined;
  if (verb === "take") return TAKES;
  return verb === "charge" && times === 1 ? CHARGES : undefined;
}

/** Transactions of consecutive keys that are alike, and encoded once. */
interface Run {
  readonly word: string;
  readonly first: number;
  last: number;
  readonly plan: number;
  readonly like: ScriptTransaction;
}

/** Whether two transactions of one key have the same plan, times, detail and costs. */
function areAlike(one: ScriptTransaction, other: ScriptTransaction): boolean {
  const [{ plan, costs }, own] = [one.keys[0]!, other.keys[0]!];
  if (plan !== own.plan || one.times !== other.times || one.detail !== other.detail) return false;
  return costs === own.costs || costs.every((cost, i) => cost === own.costs[i]);
}

function textOfRun({ word, first, last, plan, like: { times, detail, keys } }: Run): string {
  return `${word} ${first} ${last} ${plan} ${detail === "each" ? -times : times} ${keys[0]!.costs.join(" ")}`;
}

function textOf(transaction: ScriptTransaction, names: KeyNames, plans: PlanText[]): string {
  const { verb, detail, times, takenUs, block, lease, receipt, keys } = transaction;
  const hasReceipts = keys.some(({ untilUs }) => untilUs !== undefined);
  const calls = keys.map(({ name, plan, costs, untilUs = [], decidedUs = NOT_KNOWN }) => {
    const all = (numbers: readonly number[]) => plan.plan.limits.map((_, i) => numbers[i] ?? 0);
    const call = [keyNumber(names, name), planNumber(plans, plan), all(costs)];
    return hasReceipts ? [...call, all(untilUs), decidedUs] : call;
  });
  const parts: unknown[] = [SCRIPT_VERBS[verb].name, times, detail === "each", receipt === undefined ? calls : []];
  if (takenUs !== undefined) parts.push(takenUs);
  if (block !== undefined) parts.push(blockNumbers(block));
  if (lease !== undefined) parts.push(leaseParts(lease));
  if (receipt !== undefined) parts.push(receiptParts(receipt, names, plans));
  return JSON.stringify(parts);
}

/** The receipt's key, revision and time to live, its words (`false` to remove it), and its calls. */
function receiptParts(
  { name, revision, ttlUs, words, verb, calls, given }: KeptReceipt,
  names: KeyNames,
  plans: PlanText[],
): readonly unknown[] {
  const partsOf = (some: readonly KeptScriptCall[]) =>
    some.map(({ name: row, plan, costs, untilUs, decidedUs }) => {
      const known = plans.find(({ text }) => text === plan) ?? { text: plan };
      return [keyNumber(names, row), planNumber(plans, known), costs, untilUs, decidedUs];
    });
  const change = [keyNumber(names, name), revision, ttlUs, words?.map(String) ?? false];
  return [...change, verb, partsOf(calls), partsOf(given)];
}

/** 0 to end a block, 1 for one that lasts, 2 for one until a moment; the microseconds; the reason's numbers. */
export function blockNumbers({ end, reason }: ScriptBlock): readonly number[] {
  const [kind, us] = end === "none" ? [0, 0] : "forUs" in end ? [1, end.forUs] : [2, end.untilUs];
  const numbers = encodeReason(reason);
  return [kind, us, numbers.length, ...numbers];
}

/** The names of keys, in the order of first use. */
interface KeyNames {
  list: string[];
  /** The numbers of several names, counted from 1. A lone call needs no map. */
  numbers: Map<string, number> | undefined;
}

function keyNumber(names: KeyNames, name: string): number {
  if (names.list.length === 0) names.list = [name];
  if (names.numbers === undefined && name === names.list[0]) return 1;
  names.numbers ??= new Map([[names.list[0]!, 1]]);
  const known = names.numbers.get(name);
  if (known !== undefined) return known;
  const number = names.list.push(name);
  names.numbers.set(name, number);
  return number;
}

/** The number of a plan, counted like that. Most calls have one, so a list finds it faster than a map. */
function planNumber(plans: PlanText[], plan: PlanText): number {
  const at = plans.indexOf(plan);
  return at < 0 ? plans.push(plan) : at + 1;
}
