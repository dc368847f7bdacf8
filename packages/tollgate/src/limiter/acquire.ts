import type { Clock } from "../core/clock.ts";
import { type Cost, copyCost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import type { Choice } from "./choice.ts";
import { type AcquireOptions, type AsyncReservation, splitOptions, type Term, termOf } from "./reservation.ts";
import type { PlannedSpace } from "./space-list.ts";
import type { Waiting } from "./waiting.ts";

/** What acquiring needs of a limiter. */
export interface Acquiring<Space extends PlannedSpace> {
  readonly clock: Clock;
  readonly waiting: Waiting<Space>;
  /** The reservation of what a decision took. */
  readonly reserved: (
    choice: Choice<Space>,
    cost: Cost,
    decision: Decision,
    term: Term | undefined,
  ) => AsyncReservation;
}

/** The verb `acquire`: a wait, and a reservation whose time begins when the wait has ended. */
export async function acquire<Space extends PlannedSpace>(
  { clock, waiting, reserved }: Acquiring<Space>,
  choose: () => Choice<Space>,
  cost: Cost,
  options: AcquireOptions | undefined,
): Promise<AsyncReservation> {
  const { wait, reserve } = splitOptions(options);
  const own = copyCost(cost);
  const choice = choose();
  const decision = await waiting.waitChosen("acquire", choice, own, wait);
  return reserved(choice, own, decision, termOf(clock, reserve));
}
