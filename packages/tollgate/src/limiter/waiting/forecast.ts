import { carryOver } from "../../algorithms/carry-over.ts";
import { compileLimit } from "../../algorithms/compile-limit.ts";
import type { Kernel } from "../../algorithms/kernel.ts";
import { countsName, identityOf, type Scope } from "../../core/plan.ts";
import { Report } from "../../core/report.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import type { Space, SpaceCall } from "../choosing/space.ts";

/** What a forecast keeps of one limit of a key: cells as they will be when the last foreseen call has been served. */
interface ForeseenLimit {
  readonly kernel: Kernel;
  readonly cells: Float64Array;
  readonly counts: ForeseenCounts;
}

/** What limits of other numbers count together. */
interface ForeseenCounts {
  /** The limit under which the last call was added. */
  current: ForeseenLimit | undefined;
}

/** Reports on a key as it is now, as `explain` does. `false` if only the store itself can. */
export type Explain = (call: SpaceCall, now: TimeCell, report: Report) => boolean;

/** A key has no more groups under a sliding window. */
const MOST_GROUPS = 4_096;

/**
 * When the calls of a line will be served if nothing else arrives: the same arithmetic, on cells of its own, one call
 * after another. It never says too early. Under token buckets and fixed windows it is exact to a microsecond. Under
 * sliding windows it is exact except for the resolution. Where only one report is known, it is an upper bound.
 */
export class Forecast {
  readonly #fromUs: number;
  readonly #explain: Explain;
  readonly #limits = new Map<Space, Map<string, readonly ForeseenLimit[]>>();
  readonly #counts = new Map<Scope, Map<string, ForeseenCounts>>();
  /** When the last call that was added is served. */
  readonly #at = createTimeCell();
  readonly #report = new Report();

  constructor(fromUs: number, explain: Explain) {
    this.#fromUs = fromUs;
    this.#at[0] = fromUs;
    this.#explain = explain;
  }

  /** When these calls would be served next, after all that were added, and not before a moment. */
  whenUs(calls: readonly SpaceCall[], notBeforeUs: number): number {
    const report = this.#report;
    this.tell(calls, report);
    let waitUs = 0;
    let entry = 0;
    for (const { space } of calls) {
      for (const { mode } of space.plan.limits) {
        if (mode === "enforce" && report.waitUs[entry]! > waitUs) waitUs = report.waitUs[entry]!;
        entry += 1;
      }
    }
    return Math.max(this.#at[0]! + waitUs, notBeforeUs);
  }

  /** When these calls would be served, as `whenUs` says. The forecast counts them, unless that is after a deadline. */
  foresee(calls: readonly SpaceCall[], notBeforeUs: number, deadlineUs: number): number {
    const servedUs = this.whenUs(calls, notBeforeUs);
    if (servedUs <= deadlineUs) this.#add(calls, servedUs);
    return servedUs;
  }

  #add(calls: readonly SpaceCall[], servedUs: number): void {
    if (!Number.isFinite(servedUs)) return;
    this.#at[0] = servedUs;
    for (const call of calls) {
      const { limits } = call.space.plan;
      for (const [i, { kernel, cells }] of this.#limitsOf(call).entries()) {
        const cost = call.costs[i]!;
        if (limits[i]!.mode === "enforce" || kernel.conforms(cells, 0, this.#at, cost)) {
          kernel.take(cells, 0, this.#at, cost);
        }
      }
    }
  }

  /** When the last call that was added is served. */
  get lastUs(): number {
    return this.#at[0]!;
  }

  /** Fills the entries of calls that would come then. */
  tell(calls: readonly SpaceCall[], report: Report): void {
    let entry = 0;
    for (const call of calls) {
      for (const [i, { kernel, cells }] of this.#limitsOf(call).entries()) {
        const cost = call.costs[i]!;
        report.conforms[entry] = kernel.conforms(cells, 0, this.#at, cost);
        kernel.tell(cells, 0, this.#at, cost, report, entry);
        entry += 1;
      }
    }
  }

  /** Notes what a store has just reported of calls. */
  note(calls: readonly SpaceCall[], report: Report): void {
    let at = 0;
    for (const call of calls) {
      const foreseen = this.#keep(call);
      if (report.used.length >= at + foreseen.length) adopt(foreseen, createTimeCell(this.#fromUs), report, at);
      at += foreseen.length;
    }
  }

  /** The limits of a call, with what was added under other numbers. */
  #limitsOf(call: SpaceCall): readonly ForeseenLimit[] {
    const foreseen = this.#limits.get(call.space)?.get(call.key) ?? this.#look(call);
    for (const limit of foreseen) {
      const { current } = limit.counts;
      if (current !== undefined && current !== limit)
        carryOver(limit.kernel, limit.cells, 0, this.#at, current.kernel, current.cells, 0);
      limit.counts.current = limit;
    }
    return foreseen;
  }

  #look(call: SpaceCall): readonly ForeseenLimit[] {
    const foreseen = this.#keep(call);
    const now = createTimeCell(this.#fromUs);
    const report = new Report();
    if (this.#explain(call, now, report)) {
      for (const [i, { kernel }] of foreseen.entries()) if (kernel.inGroups) this.#adoptGroups(call, foreseen, i, now);
      adopt(foreseen, now, report, 0, (kernel) => !kernel.inGroups);
    }
    return foreseen;
  }

  /** Asks for greater and greater costs: each tells how many units stay when the next group has left. */
  #adoptGroups(call: SpaceCall, foreseen: readonly ForeseenLimit[], i: number, now: TimeCell): void {
    const { kernel, cells } = foreseen[i]!;
    const { capacity } = kernel.limit;
    const report = new Report();
    const costs = call.costs.map(() => 0);
    this.#explain({ ...call, costs }, now, report);
    let left = report.used[i]!;
    for (let group = 0; group < MOST_GROUPS && left > 0; group += 1) {
      costs[i] = Math.max(1, capacity - left + 1);
      this.#explain({ ...call, costs }, now, report);
      const after = report.usedAfterWait[i]!;
      kernel.adoptUntil(cells, 0, now, left - after, report.waitUs[i]!);
      left = after;
    }
  }

  #keep({ space, key }: SpaceCall): readonly ForeseenLimit[] {
    const { scope, limits, onChange } = space.plan;
    const counts = this.#counts.get(scope) ?? new Map<string, ForeseenCounts>();
    this.#counts.set(scope, counts);
    const foreseen = limits.map((limit): ForeseenLimit => {
      const kernel = compileLimit(limit, this.#fromUs);
      const cells = new Float64Array(kernel.size);
      // What begins empty has begun, because a call was denied: its report says how much it has.
      kernel.writeIdle(cells, 0);
      const id = `${key.length} ${key}${onChange === "separate" ? identityOf(limit) : countsName(limit)}`;
      const own = counts.get(id) ?? { current: undefined };
      counts.set(id, own);
      return { kernel, cells, counts: own };
    });
    const keys = this.#limits.get(space) ?? new Map<string, readonly ForeseenLimit[]>();
    this.#limits.set(space, keys.set(key, foreseen));
    return foreseen;
  }
}

/** Adopts what one report tells: some units leave after the wait, the rest when the limit is idle. */
function adopt(
  foreseen: readonly ForeseenLimit[],
  now: TimeCell,
  report: Report,
  at: number,
  isMeant: (kernel: Kernel) => boolean = () => true,
): void {
  for (const [i, { kernel, cells }] of foreseen.entries()) {
    const used = report.used[at + i]!;
    const left = report.usedAfterWait[at + i]!;
    const waitUs = report.waitUs[at + i]!;
    if (!(isMeant(kernel) && used > 0)) continue;
    const leavesFirst = kernel.inGroups && left < used && Number.isFinite(waitUs);
    if (leavesFirst) kernel.adoptUntil(cells, 0, now, used - left, waitUs);
    if (leavesFirst && left === 0) continue;
    kernel.adoptUntil(cells, 0, now, leavesFirst ? left : used, report.resetUs[at + i]!);
  }
}
