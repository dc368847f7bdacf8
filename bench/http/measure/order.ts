import { shuffled } from "../../workloads/random.ts";
import { FRAMEWORKS, type Variant } from "../variant.ts";

/**
 * The variants in the order of one round: those of a framework, which are compared, side by side, in an order that differs
 * by round, so that whatever else the machine does hits all alike.
 */
export function orderOfRound(variants: readonly Variant[], round: number): Variant[] {
  return shuffled(FRAMEWORKS, round).flatMap((framework) => {
    const compared = variants.filter((variant) => variant.framework === framework);
    return shuffled(compared, round);
  });
}
