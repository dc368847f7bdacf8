import { type CheckedCosts, type Cost, readCosts, type UnitCosts } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import type { AsyncHandle, Handle } from "../limiter/limiter.ts";

/** How a response ended. */
export interface Outcome {
  /** The status that the handler answered with, also where the client had gone by then; 0 where it gave no answer. */
  readonly status: number;
  /** Bytes of the body that were handed to the network. */
  readonly bytes: number;
  /** Whether it was sent whole: not where the client hung up or the handler failed. */
  readonly completed: boolean;
}

/** Hears how a response ended; only the first time counts, and only its `done` hears when the limiter knows, too. */
export type Settle = (outcome: Outcome, done?: () => void) => void;

/** What a request was counted with, and how to learn what it has cost in the end. */
export interface Unsettled {
  /** Of the key and the limits that it was counted under: the limiter may choose others by now. */
  readonly handle: Handle | AsyncHandle;
  readonly taken: Cost;
  /** Says where the cost was taken: the difference is settled there. */
  readonly decision: Decision;
  /** Those of the limits that it was counted against. */
  readonly units: ReadonlySet<string>;
  readonly actualCost: (outcome: Outcome) => Cost | Promise<Cost>;
  /** Whether a request whose response was not sent whole may be refunded, too. */
  readonly settleAborted: boolean;
  /** Never throws. */
  readonly reportError: (error: unknown) => void;
}

/** Refunds or charges, once, the difference between the cost that was taken and the actual one. */
export function settlement(unsettled: Unsettled): Settle {
  // Read now: whoever gave it may change it, or give the same object as the actual cost.
  const before = readCosts(unsettled.taken, unsettled.units, "ignored");
  let settled = false;
  return (outcome, done) => {
    if (settled) return;
    settled = true;
    settle(unsettled, before, outcome).catch(unsettled.reportError).finally(done);
  };
}

async function settle(unsettled: Unsettled, before: CheckedCosts, outcome: Outcome): Promise<void> {
  const { handle, decision, units, actualCost, settleAborted } = unsettled;
  // Units that no limit counts are for the limiter to judge.
  const after = readCosts(await actualCost(outcome), units, "ignored");
  const { charge, refund } = differenceOf(before, after);
  // Whichever goes first has the limiter check every unit. A charge that fails must not leave a refund behind.
  if (charge !== undefined) await handle.charge(charge, decision);
  // A client decides itself when it hangs up. If that gave units back, it could work beyond its limit.
  if (refund !== undefined && (outcome.completed || settleAborted)) await handle.refund(refund, decision);
}

/** What is left to do when the actual cost is known: `undefined` where it is nothing. */
interface Difference {
  readonly charge: UnitCosts | undefined;
  readonly refund: UnitCosts | undefined;
}

function differenceOf(before: CheckedCosts, after: CheckedCosts): Difference {
  const units = [...new Set([...before.keys(), ...after.keys()])];
  const more = units.map((unit): [string, number] => [unit, (after.get(unit) ?? 0) - (before.get(unit) ?? 0)]);
  return {
    charge: costsOf(more),
    refund: costsOf(more.map(([unit, count]) => [unit, -count])),
  };
}

/** Every unit, also with nothing to count: the limiter checks them. */
function costsOf(units: readonly (readonly [string, number])[]): UnitCosts | undefined {
  if (!units.some(([, count]) => count > 0)) return undefined;
  return Object.fromEntries(units.map(([unit, count]) => [unit, Math.max(0, count)]));
}
