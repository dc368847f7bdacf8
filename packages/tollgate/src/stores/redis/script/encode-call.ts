import { REACH_US } from "../../../algorithms/ticks.ts";
import { encodeReason } from "../../../core/reason-numbers.ts";
import type { ScriptCall } from "../clients/redis-port.ts";
import type { EncodedPlan } from "./encode-plan.ts";
import { pushLease } from "./lease.ts";
import { SCRIPT_VERBS } from "./script-verbs.ts";
import type { ScriptBlock, ScriptTransaction } from "./transaction.ts";

/** 2035-01-01 in UTC. All calls by the server's time count ticks from it, because cells outlive processes. */
export const ORIGIN_US = 2_051_222_400_000_000;

/** What one call of the script carries. */
export interface ScriptInput {
  /** The moment of all transactions in whole microseconds, in tests. By default the server's clock decides. */
  readonly nowUs?: number | undefined;
  /** At least one. The script runs them in this order, atomically. */
  readonly transactions: readonly ScriptTransaction[];
}

/** An encoded call. */
export type EncodedCall = Omit<ScriptCall, "cancelFlag">;

/** Writes a call for a server. */
export type EncodeCall = (input: ScriptInput) => EncodedCall;

// Flags of a transaction, added up.
const REPORTS_EACH = 1;
const HAS_TAKEN_TIME = 2;
const HAS_RECEIPTS = 4;
/** Runs of takes, and of charges. */
const TAKES = "t";
const CHARGES = "c";
/** More than the moment of any receipt. */
const NOT_KNOWN = Number.MAX_SAFE_INTEGER;

/**
 * Encodes a call. After the cancel flag (`1`: run) come `EncodedPlan.text` of each plan, and then the transactions, in
 * which keys and plans are numbered from 1. A test puts `@`, the time in microseconds and the origin of ticks before
 * the plans. Takes and single charges of one key are in runs: `t` or `c`, the first key, the last key, the plan, how
 * many calls each key has (negative with a report per call), and the costs. Another transaction is the verb's name, the
 * sum of its flags, times, `takenUs`, an operator's block, a `LeaseAsk`, and the number of keys; per key its number,
 * its plan, its costs, and what its receipt says. The flags are 1 for a report per call, 2 if `takenUs` follows, and 4
 * for receipts.
 */
export function encodeCall({ nowUs, transactions }: ScriptInput): EncodedCall {
  const names = new Map<string, number>();
  const plans = new Map<EncodedPlan, number>();
  const steps: string[] = [];
  let run: Run | undefined;
  for (const transaction of transactions) {
    const next = runOf(names, plans, transaction);
    if (run !== undefined && next !== undefined && continues(run, next)) {
      run.last = next.last;
      continue;
    }
    pushRun(steps, run);
    run = next;
    if (next === undefined) pushTransaction(steps, names, plans, transaction);
  }
  pushRun(steps, run);
  const args = nowUs === undefined ? [] : [`@${nowUs} ${originOf(nowUs)}`];
  for (const { text } of plans.keys()) args.push(text);
  return { keys: [...names.keys()], args: args.concat(steps) };
}

/** In tests of any date: an origin that is near enough for exact ticks, the same for 40 years. */
export function originOf(nowUs: number): number {
  return ORIGIN_US + Math.floor((nowUs - ORIGIN_US + REACH_US) / (2 * REACH_US)) * 2 * REACH_US;
}

function areEqual(some: readonly number[], others: readonly number[], limits: number): boolean {
  for (let i = 0; i < limits; i += 1) if (some[i] !== others[i]) return false;
  return true;
}

/** What begins a run of such transactions; `undefined` where they are not in runs. */
function wordOf({ verb, times, keys }: ScriptTransaction): string | undefined {
  if (keys.length !== 1) return undefined;
  if (verb === "take") return TAKES;
  return verb === "charge" && times === 1 ? CHARGES : undefined;
}

/** Consecutive keys with the same plan, times and costs, which are encoded once. */
interface Run {
  readonly word: string;
  readonly first: number;
  last: number;
  readonly plan: number;
  /** How many calls per key; negative with a report per call. */
  readonly times: number;
  readonly costs: readonly number[];
  readonly limits: number;
}

function runOf(
  names: Map<string, number>,
  plans: Map<EncodedPlan, number>,
  transaction: ScriptTransaction,
): Run | undefined {
  const word = wordOf(transaction);
  if (word === undefined) return undefined;
  const { times, detail, keys } = transaction;
  const { name, plan: encoded, costs } = keys[0]!;
  const key = numberOf(names, name);
  const plan = numberOf(plans, encoded);
  const limits = encoded.plan.limits.length;
  return { word, first: key, last: key, plan, times: detail === "each" ? -times : times, costs, limits };
}

function continues(run: Run, next: Run): boolean {
  if (run.word !== next.word || run.last !== next.first - 1 || run.plan !== next.plan || run.times !== next.times)
    return false;
  return run.costs === next.costs || areEqual(run.costs, next.costs, run.limits);
}

function pushRun(steps: string[], run: Run | undefined): void {
  if (run === undefined) return;
  const { word, first, last, plan, times, costs, limits } = run;
  steps.push(word, String(first), String(last), String(plan), String(times));
  pushNumbers(steps, limits, costs);
}

function pushTransaction(
  steps: string[],
  names: Map<string, number>,
  plans: Map<EncodedPlan, number>,
  transaction: ScriptTransaction,
): void {
  const { verb, detail, times, takenUs, block, lease, keys } = transaction;
  const hasReceipts = keys.some(({ untilUs }) => untilUs !== undefined);
  let flags = detail === "each" ? REPORTS_EACH : 0;
  if (takenUs !== undefined) flags += HAS_TAKEN_TIME;
  if (hasReceipts) flags += HAS_RECEIPTS;
  steps.push(SCRIPT_VERBS[verb].name, String(flags), String(times));
  if (takenUs !== undefined) steps.push(String(takenUs));
  if (block !== undefined) pushBlock(steps, block);
  if (lease !== undefined) pushLease(steps, lease);
  steps.push(String(keys.length));
  for (const { name, plan, costs, untilUs, decidedUs = NOT_KNOWN } of keys) {
    const { length } = plan.plan.limits;
    steps.push(String(numberOf(names, name)), String(numberOf(plans, plan)));
    pushNumbers(steps, length, costs);
    if (!hasReceipts) continue;
    pushNumbers(steps, length, untilUs);
    steps.push(String(decidedUs));
  }
}

/** One number per limit. */
function pushNumbers(steps: string[], limits: number, numbers: readonly number[] = []): void {
  for (let i = 0; i < limits; i += 1) steps.push(String(numbers[i] ?? 0));
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
