import { scriptAlgorithmOf } from "./algorithms.ts";
import { SCRIPT_VERBS } from "./script-verbs.ts";
import type { ScriptKey, ScriptTransaction } from "./transaction.ts";

const BYTES_PER_CELL = 7;
/**
 * Beyond so many units per transaction the script may restate running totals, which takes time for each cell of a
 * ring.
 */
const MANY_UNITS = 2 ** 43;

/**
 * How much work a transaction is for the server, in steps. A step takes about a microsecond of an idle server. The
 * result is at least what the transaction takes in a call of its own.
 */
export function stepsOf(transaction: ScriptTransaction): number {
  const { verb, times, keys, detail } = transaction;
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
