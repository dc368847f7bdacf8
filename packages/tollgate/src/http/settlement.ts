import { type Cost, REQUESTS, type UnitCosts } from "../core/cost.ts";
import type { AsyncLimiter, Limiter } from "../limiter/limiter.ts";

/** How a response ended. */
export interface Outcome {
  /** The status that was sent; 0 if none was. */
  readonly status: number;
  /** Bytes of the body that were handed to the network. */
  readonly bytes: number;
  /** Whether it was sent whole: not where the client went or the handler failed. */
  readonly completed: boolean;
}

/** Hears how a response ended; only the first time counts, and only its `done` hears when the limiter knows, too. */
export type Settle = (outcome: Outcome, done?: () => void) => void;

/** What a request was counted with, and how to learn what it has cost in the end. */
export interface Unsettled<Input> {
  readonly limiter: Limiter<Input> | AsyncLimiter<Input>;
  readonly input: Input;
  readonly taken: Cost;
  readonly actualCost: (outcome: Outcome) => Cost | Promise<Cost>;
  readonly reportError: (error: unknown) => void;
}

/** Refunds or charges, once, the difference between the cost that was taken and the actual one. */
export function settlement<Input>(unsettled: Unsettled<Input>): Settle {
  let settled = false;
  return (outcome, done) => {
    if (settled) return;
    settled = true;
    settle(unsettled, outcome).catch(unsettled.reportError).finally(done);
  };
}

async function settle<Input>({ limiter, input, taken, actualCost }: Unsettled<Input>, outcome: Outcome): Promise<void> {
  const { refund, charge } = differenceOf(taken, await actualCost(outcome));
  if (refund !== undefined) await limiter.refund(input, refund);
  if (charge !== undefined) await limiter.charge(input, charge);
}

/** What is left to do when the actual cost is known: `undefined` where it is nothing. */
interface Difference {
  readonly refund: Cost | undefined;
  readonly charge: Cost | undefined;
}

/** A number beside costs per unit means requests. */
function differenceOf(taken: Cost, actual: Cost): Difference {
  if (typeof taken === "number" && typeof actual === "number") {
    // Whatever is no number of units is left to the limiter to refuse.
    return actual < taken && actual >= 0
      ? { refund: taken - actual, charge: undefined }
      : { refund: undefined, charge: actual === taken ? undefined : actual - taken };
  }
  const before = unitsOf(taken);
  const after = unitsOf(actual);
  const units = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const more = units.map((unit): [string, number] => [unit, (after[unit] ?? 0) - (before[unit] ?? 0)]);
  return {
    refund: costsOf(more.map(([unit, count]) => [unit, -count])),
    charge: costsOf(more),
  };
}

function costsOf(units: readonly (readonly [string, number])[]): UnitCosts | undefined {
  const counted = units.filter(([, count]) => count > 0);
  return counted.length > 0 ? Object.fromEntries(counted) : undefined;
}

function unitsOf(cost: Cost): UnitCosts {
  return typeof cost === "number" ? { [REQUESTS]: cost } : cost;
}
