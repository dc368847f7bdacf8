import { type CheckedCosts, type Cost, readCosts, type UnitCosts } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import type { AsyncHandle, Handle } from "../limiter/limiter.ts";

/** How a response ended. */
export interface Outcome {
  /** The status that the handler answered with, even if the client had gone by then; 0 without an answer. */
  readonly status: number;
  /** The bytes of the body that were handed to the network. */
  readonly bytes: number;
  /** Whether the response was sent whole: `false` if the client hung up or the handler failed. */
  readonly completed: boolean;
}

/**
 * Settles a request by how its response ended. Only the first call counts. `done` is called when the limiter has
 * settled.
 */
export type Settle = (outcome: Outcome, done?: () => void) => void;

/** A counted request, and how to find what it has cost in the end. */
export interface Unsettled {
  /** For the key and limits that the request was counted under. The limiter may choose others by now. */
  readonly handle: Handle | AsyncHandle;
  readonly taken: Cost;
  /** Tells where the cost was taken: the difference is settled there. */
  readonly decision: Decision;
  /** The units of the limits that it was counted against. */
  readonly units: ReadonlySet<string>;
  readonly actualCost: (outcome: Outcome) => Cost | Promise<Cost>;
  /** Whether a request may be refunded if its response was not sent whole. */
  readonly settleAborted: boolean;
  /** Never throws. */
  readonly logError: (error: unknown) => void;
}

/** Refunds or charges, once, the difference between the cost that was taken and the actual one. */
export function settlement(unsettled: Unsettled): Settle {
  // Read now: the user may change the object, or return the same object as the actual cost.
  const before = readCosts(unsettled.taken, unsettled.units, "ignored");
  let settled = false;
  return (outcome, done) => {
    if (settled) return;
    settled = true;
    settle(unsettled, before, outcome).catch(unsettled.logError).finally(done);
  };
}

async function settle(unsettled: Unsettled, before: CheckedCosts, outcome: Outcome): Promise<void> {
  const { handle, decision, units, actualCost, settleAborted } = unsettled;
  // The limiter decides about units that no limit counts.
  const after = readCosts(await actualCost(outcome), units, "ignored");
  const { charge, refund } = differenceOf(before, after);
  // The limiter checks every unit in the first of both calls. The charge goes first: if it fails, nothing is refunded.
  if (charge !== undefined) await handle.charge(charge, decision);
  // A client decides when it hangs up. If that refunded units, the client could exceed its limit.
  if (refund !== undefined && (outcome.completed || settleAborted)) await handle.refund(refund, decision);
}

/** What remains to be charged and refunded once the actual cost is known. */
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

/** Contains every unit, even at cost 0, so that the limiter checks them all. */
function costsOf(units: readonly (readonly [string, number])[]): UnitCosts | undefined {
  if (!units.some(([, count]) => count > 0)) return undefined;
  return Object.fromEntries(units.map(([unit, count]) => [unit, Math.max(0, count)]));
}
