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
   * Takes from a key that has cells of its own, without a report. `false` leaves everything as it was, and does not say
   * why.
   */
  takeKept(key: string, costs: readonly number[], now: TimeCell): boolean;
  /** Puts the cells back as they were before the last `takeKept`. */
  untake(): void;
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

type Space = Pick<SyncSpace, "apply"> & Partial<PartwiseSpace>;
type Calls = readonly Call<Space>[];

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

/**
 * Takes from several spaces, all or nothing, if each key has cells and conforms. It makes no report.
 *
 * @returns whether all took. If not, nothing has changed.
 */
export function takePartwise(calls: Calls, now: TimeCell): boolean {
  for (let i = 0; i < calls.length; i += 1) {
    const { space, key, costs } = calls[i]!;
    if (takesKept(space, key, costs, now)) continue;
    // Two limiters may share a key, so the last take is undone first.
    for (let taken = i - 1; taken >= 0; taken -= 1) calls[taken]!.space.untake?.();
    return false;
  }
  return true;
}

/** Whether a space took from a key that has cells and conforms. If not, nothing has changed. */
export function takesKept(space: Space, key: string, costs: readonly number[], now: TimeCell): boolean {
  return space.takeKept?.(key, costs, now) === true;
}

function finishAll(verb: VerbTraits, admitted: boolean, calls: Calls, now: TimeCell, report: Report): void {
  let at = 0;
  for (const { space, costs } of calls) {
    space.finish?.(verb, admitted, costs, now, report, at);
    at += costs.length;
  }
}
