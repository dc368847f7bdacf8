import { Report } from "../../core/report.ts";
import type { Call } from "../../core/store.ts";
import type { Taken } from "../../core/taken.ts";
import { VERBS, type Verb } from "../../core/verbs.ts";
import type { ClusterSpace } from "../cluster/cluster-space.ts";

/** The calls whose keys are in one object. */
export interface ObjectPart {
  /** The object's name. */
  readonly name: string;
  readonly calls: readonly Call<ClusterSpace>[];
  /** Which calls of all these are. */
  readonly indexes: readonly number[];
}

/** Applies a verb to the calls of one object. */
export type AskObject = (
  verb: Verb,
  name: string,
  calls: readonly Call<ClusterSpace>[],
  taken?: readonly Taken[],
) => Promise<Report>;

/** Groups calls by the objects of their keys. */
export function partsOf(calls: readonly Call<ClusterSpace>[], nameOf: (key: string) => string): readonly ObjectPart[] {
  const parts = new Map<string, { name: string; calls: Call<ClusterSpace>[]; indexes: number[] }>();
  for (const [i, call] of calls.entries()) {
    const name = nameOf(call.key);
    const part = parts.get(name) ?? { name, calls: [], indexes: [] };
    parts.set(name, part);
    part.calls.push(call);
    part.indexes.push(i);
  }
  return [...parts.values()];
}

/**
 * Applies a verb to keys in several objects, which no transaction covers. A take takes from one object after another.
 * If one denies, the objects before it get back exactly what was taken: no limit is ever exceeded, but concurrent calls
 * may be denied units that are given back a moment later.
 *
 * @throws UnavailableError when an object is unavailable, after the others got back what was taken.
 */
export async function applyToObjects(
  verb: Verb,
  parts: readonly ObjectPart[],
  ask: AskObject,
  taken?: readonly Taken[],
): Promise<Report> {
  const { takes, changes } = VERBS[verb];
  const isTake = takes === "if all conform" && changes;
  const reports = isTake
    ? await takeFromEach(parts, ask)
    : await Promise.all(parts.map(({ name, calls, indexes }) => ask(verb, name, calls, pick(taken, indexes))));
  const denies = reports.findIndex(({ admitted }) => !admitted);
  if (takes !== "if all conform" || denies < 0) return merge(parts, reports);
  // The others reported as if they had decided alone.
  const explained = parts.map(async ({ name, calls }, i) => {
    if (reports[i]?.admitted === false) return reports[i];
    // A bucket that starts empty begins to fill with its first touch, even by a call that another limit denies.
    if (changes) void ask("take", name, calls.map(free)).catch(ignore);
    return ask("explain", name, calls);
  });
  return merge(parts, await Promise.all(explained), false);
}

/** The reports up to the first object that denies. */
async function takeFromEach(parts: readonly ObjectPart[], ask: AskObject): Promise<Report[]> {
  const reports: Report[] = [];
  for (const { name, calls } of parts) {
    const report = await ask("take", name, calls).catch(async (error: unknown) => {
      await giveBack(parts, reports, ask);
      throw error;
    });
    if (!report.admitted) await giveBack(parts, reports, ask);
    reports.push(report);
    if (!report.admitted) break;
  }
  return reports;
}

/** What an object that fails now does not take back leaves by itself. */
async function giveBack(parts: readonly ObjectPart[], reports: readonly Report[], ask: AskObject): Promise<void> {
  const given = reports.map((report, i) => {
    const { name, calls } = parts[i]!;
    let at = 0;
    const receipts: Taken[] = [];
    const refunds = calls.map((call, c): Call<ClusterSpace> => {
      const from = at;
      at += call.costs.length;
      const resets = resetsOf(report, calls, c) ?? Number.POSITIVE_INFINITY;
      receipts.push({ where: "own", degraded: undefined, resets, untilUs: report.untilUs.slice(from, at) });
      // Limits in shadow mode took only what conformed.
      return { ...call, costs: call.costs.map((cost, limit) => (report.conforms[from + limit] ? cost : 0)) };
    });
    return ask("refund", name, refunds, receipts);
  });
  await Promise.allSettled(given);
}

/** The entries of one call in the report of its object. */
interface Entries {
  readonly report: Report;
  readonly from: number;
  readonly to: number;
  /** Which call of all it is. */
  readonly index: number;
  readonly resets: number | undefined;
}

/** One report with the entries of all calls, in their order. */
function merge(parts: readonly ObjectPart[], reports: readonly Report[], admitted?: boolean): Report {
  const merged = new Report();
  merged.admitted = admitted ?? reports.every((report) => report.admitted);
  const entries = parts.flatMap((part, i) => entriesOf(part, reports[i]!));
  for (const each of entries.sort((a, b) => a.index - b.index)) addEntries(merged, each);
  for (const { block } of reports) if ((block?.forUs ?? 0) > (merged.block?.forUs ?? 0)) merged.block = block;
  return merged;
}

function entriesOf({ calls, indexes }: ObjectPart, report: Report): readonly Entries[] {
  let at = 0;
  return calls.map(({ costs }, i) => {
    const from = at;
    at += costs.length;
    return { report, from, to: at, index: indexes[i]!, resets: resetsOf(report, calls, i) };
  });
}

function addEntries(merged: Report, { report, from, to, index, resets }: Entries): void {
  const start = merged.used.length - from;
  if (report.hasEntries) merged.addEntries(report, from, to);
  for (let entry = from; entry < to; entry += 1) {
    merged.untilUs[start + entry] = report.untilUs[entry] ?? 0;
    if (report.isView[entry] === true) merged.isView[start + entry] = true;
  }
  merged.resetsOf[index] = resets;
}

/** The number of the decision on one of the calls of an object. */
function resetsOf(report: Report, calls: readonly unknown[], index: number): number | undefined {
  return calls.length === 1 ? report.resets : report.resetsOf[index];
}

function pick(taken: readonly Taken[] | undefined, indexes: readonly number[]): readonly Taken[] | undefined {
  return taken && indexes.map((index) => taken[index]!);
}

function free(call: Call<ClusterSpace>): Call<ClusterSpace> {
  return { ...call, costs: call.costs.map(() => 0) };
}

function ignore(): void {}
