import type { Report } from "../core/report.ts";
import type { Call, SyncSpace } from "../core/store.ts";
import type { TimeCell } from "../core/time-cell.ts";
import type { VerbTraits } from "../core/verbs.ts";

/** What a space says of a call on a key. `"unknown"` leaves the call to `apply`. */
export type Judgement = "conforms" | "denied" | "unknown";

/**
 * A space that judges a call and can undo what it took, so that a call on several spaces finds each key once. Between
 * `judge` and `finish` nothing else may ask the space, and neither throws.
 */
export interface PartwiseSpace {
  /**
   * Whether the enforcing limits of a key conform. Only for keys that have cells of their own. A space may take at once
   * what conforms, and fill the report: `finish` undoes that if another space denies.
   */
  judge(verb: VerbTraits, key: string, costs: readonly number[], now: TimeCell, report: Report, at: number): Judgement;
  /**
   * Applies a verb to the key that was judged, and fills the report. `admitted` is the verdict of all spaces. With
   * `false` the cells are as they were before `judge`.
   */
  finish(
    verb: VerbTraits,
    admitted: boolean,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
  ): void;
}

type Calls = readonly Call<Pick<SyncSpace, "apply"> & Partial<PartwiseSpace>>[];

/**
 * Applies a verb to several spaces, all or nothing: each judges the call, and finishes it when all have. A denial
 * leaves every cell as it was, bit for bit.
 *
 * @returns whether the call was decided. Otherwise nothing has changed.
 */
export function transactPartwise(verb: VerbTraits, calls: Calls, now: TimeCell, report: Report): boolean {
  let admitted = true;
  let at = 0;
  for (let i = 0; i < calls.length; i += 1) {
    const { space, key, costs } = calls[i]!;
    const one = space.judge === undefined ? "unknown" : space.judge(verb, key, costs, now, report, at);
    if (one === "unknown") {
      finishAll(verb, false, calls.slice(0, i), now, report);
      return false;
    }
    if (one === "denied") admitted = false;
    at += costs.length;
  }
  report.admitted = admitted;
  finishAll(verb, admitted, calls, now, report);
  return true;
}

function finishAll(verb: VerbTraits, admitted: boolean, calls: Calls, now: TimeCell, report: Report): void {
  let at = 0;
  for (const { space, costs } of calls) {
    space.finish?.(verb, admitted, costs, now, report, at);
    at += costs.length;
  }
}
