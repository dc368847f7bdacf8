import { shuffled } from "../../workloads/random.ts";
import type { Variant } from "../variant.ts";
import { WORKLOADS } from "../workload.ts";

/**
 * The variants in the order of one round: those with the same workload, which are compared, side by side, in an order that
 * differs by round, so that whatever else the machine does hits all alike.
 */
export function orderOfRound(variants: readonly Variant[], round: number): Variant[] {
  return shuffled(WORKLOADS, round).flatMap((workload) => {
    const compared = variants.filter((variant) => variant.workload === workload);
    return shuffled(compared, round);
  });
}
