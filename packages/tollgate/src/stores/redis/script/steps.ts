import { scriptAlgorithmOf } from "./algorithms.ts";
import { SCRIPT_VERBS } from "./script-verbs.ts";
import type { KeptReceipt, ScriptKey, ScriptTransaction } from "./transaction.ts";

const BYTES_PER_CELL = 7;
/**
 * Beyond so many units per transaction the script may restate running totals, which takes time for each cell of a
 * ring.
 */
const MANY_UNITS = 2 ** 43;

/** To read a receipt takes 15 to 30 steps, and 100 after many charges. Its size is not known before. */
const READ_RECEIPT_STEPS = 100;
/** For a change, a KiB of words, a row, a limit that is charged or renewed, and one that gets units back. */
const RECEIPT = { change: 10, kib: 10, row: 8, counted: 5, given: 2 } as const;

/**
 * How much work a transaction is for the server, in steps. A step takes about a microsecond of an idle server. The
 * result is at least what the transaction takes in a call of its own.
 */
export function stepsOf(transaction: ScriptTransaction): number {
  const { verb, times, keys, detail, receipt } = transaction;
  if (receipt !== undefined) return receiptSteps(receipt, keys.length - 1);
  const { changes, decides } = SCRIPT_VERBS[verb];
  const isFast = changes && decides && keys.length === 1 && keys[0]!.plan.isFast;
  if (!isFast) return generalSteps(transaction);
  const rounds = times === 1 ? 1 : roundsOf(transaction);
  return keys[0]!.costs.length * (1 + rounds) + (detail === "each" ? 1 : 0);
}

function generalSteps(transaction: ScriptTransaction): number {
  const { verb, times, keys } = transaction;
  const { changes, decides, takes, keySteps, kibSteps } = SCRIPT_VERBS[verb];
  // A take from several keys that is denied is undone, and all are explained. A charge beyond a limit is explained.
  const roundCount = roundsOf(transaction) * (takes === "always" || (changes && decides && keys.length > 1) ? 2 : 1);
  let steps = 0;
  for (const { plan, costs } of keys) {
    steps += keySteps;
    for (const [i, limit] of plan.plan.limits.entries()) {
      const cells = plan.ringCells[i]!;
      const kib = (cells * BYTES_PER_CELL) / 1_024;
      steps += roundCount * scriptAlgorithmOf(limit).roundSteps + kibSteps * kib;
      if (times * (costs[i] ?? 0) > MANY_UNITS) steps += cells / 2;
    }
  }
  return Math.ceil(steps);
}

/** What is given back is found in the ring of its limit, which is rewritten once for all takes. */
function receiptSteps({ words, given, calls }: KeptReceipt, rowCount: number): number {
  if (words === undefined && given.length === 0 && calls.length === 0) return READ_RECEIPT_STEPS;
  const bytes = words?.reduce<number>((sum, word) => sum + String(word).length, 0) ?? 0;
  let steps = RECEIPT.change + RECEIPT.kib * (bytes / 1_024) + RECEIPT.row * rowCount;
  for (const { costs } of calls) steps += RECEIPT.counted * costs.length;
  const cellsOf = new Map<string, number>();
  for (const { name, costs, ringCells } of given) {
    for (const [i, cells] of ringCells.entries()) {
      if (costs[i] === 0) continue;
      steps += RECEIPT.given;
      cellsOf.set(`${i} ${name}`, cells);
    }
  }
  for (const cells of cellsOf.values()) steps += SCRIPT_VERBS.refund.kibSteps * ((cells * BYTES_PER_CELL) / 1_024);
  return Math.ceil(steps);
}

/** How many identical takes the script decides one after another. It decides the others at once. */
function roundsOf({ times, detail, keys }: ScriptTransaction): number {
  if (times === 1) return 1;
  return Math.min(times, detail === "first-denied" && keys.length === 1 ? 2 : 1 + mostAdmitted(keys));
}

/** An upper bound of the takes that are admitted at one instant. */
function mostAdmitted(keys: readonly ScriptKey[]): number {
  let most = Number.POSITIVE_INFINITY;
  for (const { plan, costs } of keys) {
    for (const [i, { capacity }] of plan.plan.limits.entries()) {
      const cost = costs[i]!;
      if (plan.plan.enforces[i]! && cost > 0) most = Math.min(most, Math.floor(capacity / cost));
    }
  }
  return most;
}
