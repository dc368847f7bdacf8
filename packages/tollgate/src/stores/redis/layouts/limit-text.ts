import type { Limit } from "../../../core/limits/limit.ts";
import { createPlan, type OnChange, type Plan } from "../../../core/plan.ts";
import { SCRIPT_ALGORITHMS, scriptAlgorithmOf } from "../script/algorithms.ts";
import { layoutId } from "../script/layout.ts";

/** How plans of one list may count: with `"keep-first"` the cells are those of `"carry-over"`. */
const LAYOUTS: readonly OnChange[] = ["carry-over", "separate"];

/** The numbers of limits as text for other processes, which may run another version of the library. */
export function writeLimits(limits: readonly Limit[]): string {
  return JSON.stringify(limits.map((limit) => scriptAlgorithmOf(limit).remake(limit, "enforce")));
}

/** The plan of a layout; `undefined` if the text, in UTF-8, does not describe it. */
export function readPlan(id: string, bytes: readonly number[]): Plan | undefined {
  try {
    const described = JSON.parse(new TextDecoder().decode(Uint8Array.from(bytes))) as readonly Limit[];
    if (!described.every(({ algorithm }) => Object.hasOwn(SCRIPT_ALGORITHMS, algorithm))) return undefined;
    // Their own factories check them. Other limits of this version would have another identity.
    const limits = described.map((limit) => scriptAlgorithmOf(limit).remake(limit, "enforce"));
    return LAYOUTS.map((onChange) => createPlan("", "", limits, onChange)).find((plan) => layoutId(plan) === id);
  } catch {
    return undefined;
  }
}
