import type { Plan } from "../../../core/plan.ts";
import type { Taken } from "../../../core/taken.ts";
import { isNamedByMoment } from "./algorithms.ts";
import type { ScriptKey } from "./transaction.ts";

/** What the script has to know of a take that it corrects. */
export function correctionOf(
  { limits }: Plan,
  { untilUs, resets }: Taken,
  nowUs: number,
): Pick<ScriptKey, "untilUs" | "decidedUs"> {
  return {
    // What no moment names was noted by the limiter's clock.
    untilUs: untilUs.map((us, i) => (isNamedByMoment(limits[i]!) ? us : us > nowUs ? Number.MAX_SAFE_INTEGER : 0)),
    decidedUs: Number.isFinite(resets) ? resets : undefined,
  };
}
