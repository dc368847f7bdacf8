import type { Report } from "../core/report.ts";
import type { Call, SyncSpace } from "../core/store.ts";
import type { TimeCell } from "../core/time-cell.ts";
import type { VerbTraits } from "../core/verbs.ts";

/** What a space says of a plain call on a key, before any cell changes. `"unknown"` leaves the call to `apply`. */
export type Judgement = "conforms" | "denied" | "unknown";

/**
 * A space that can judge a call before it changes anything, so that a call on several spaces finds each key once.
 * Between `judge` and the part that ends the call, nothing else may ask the space.
 */
export interface PartwiseSpace {
  /** Whether the enforcing limits of a key conform. Only for keys that have cells of their own. */
  judge(key: string, costs: readonly number[], now: TimeCell): Judgement;
  /** Applies a verb to the key that was judged, and fills the report. `admitted` is the verdict of all spaces. */
  finish(
    verb: VerbTraits,
    admitted: boolean,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
  ): void;
  /** Takes the costs from the key that was judged, after all spaces have conformed. */
  take(costs: readonly number[], now: TimeCell): void;
}

type Calls = readonly Call<Pick<SyncSpace, "apply"> & Partial<PartwiseSpace>>[];

/**
 * Applies a verb to several spaces, all or nothing: all of them judge the call before any changes its cells. So a
 * denial leaves every cell as it was, bit for bit.
 *
 * @returns whether the call was decided. Otherwise nothing has changed.
 */
export function transactPartwise(verb: VerbTraits, calls: Calls, now: TimeCell, report: Report): boolean {
  const judgement = judgeAll(calls, now);
  if (judgement === "unknown") return false;
  report.admitted = judgement === "conforms";
  let at = 0;
  for (const { space, costs } of calls) {
    space.finish?.(verb, report.admitted, costs, now, report, at);
    at += costs.length;
  }
  return true;
}

/** Works like `transactPartwise` with `take`, without a report. */
export function takePartwise(calls: Calls, now: TimeCell): Judgement {
  const judgement = judgeAll(calls, now);
  if (judgement !== "conforms") return judgement;
  for (const { space, costs } of calls) {
    space.take?.(costs, now);
  }
  return judgement;
}

function judgeAll(calls: Calls, now: TimeCell): Judgement {
  let judgement: Judgement = "conforms";
  for (const { space, key, costs } of calls) {
    const one = space.judge === undefined ? "unknown" : space.judge(key, costs, now);
    if (one === "unknown") return one;
    if (one === "denied") judgement = one;
  }
  return judgement;
}
