import { Report } from "../../core/report.ts";
import type { Call } from "../../core/store.ts";
import type { Taken } from "../../core/taken.ts";
import { VERBS, type Verb } from "../../core/verbs.ts";
import type { OwnedSpace } from "../owned/owned-space.ts";
import type { SpaceVerb } from "../owned/questions.ts";

/** The calls whose keys are in one object. */
export interface ObjectPart {
  /** The object's name. */
  readonly name: string;
  readonly calls: readonly Call<OwnedSpace>[];
  /** Which calls of all these are. */
  readonly indexes: readonly number[];
}

/** Applies a verb to the calls of one object. */
export type AskObject = (name: string, call: SpaceVerb) => Promise<Report>;

/** Groups calls by the objects of their keys. */
export function partsOf(calls: readonly Call<OwnedSpace>[], nameOf: (key: string) => string): readonly ObjectPart[] {
  const parts = new Map<string, { name: string; calls: Call<OwnedSpace>[]; indexes: number[] }>();
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
 * Applies a verb to keys in one object, or in several, which no transaction covers. A take takes from one object after
 * another. If one denies, the objects before it get back exactly what was taken: no limit is ever exceeded, but
 * concurrent calls may be denied units that are given back a moment later.
 *
 * @throws UnavailableError when an object is unavailable, after the others got back what was taken.
 */
export async function applyToObjects(
  call: SpaceVerb,
  parts: readonly ObjectPart[],
  askObject: AskObject,
): Promise<Report> {
  const { verb, toldUs, taken } = call;
  if (parts.length === 1) return askObject(parts[0]!.name, call);
  const ask: Ask = (one, { name, calls }, receipts) => askObject(name, { verb: one, calls, toldUs, taken: receipts });
  const { takes, changes } = VERBS[verb];
  const reports =
    takes === "if all conform" && changes
      ? await takeFromEach(parts, ask)
      : await Promise.all(parts.map((part) => ask(verb, part, taken && part.indexes.map((index) => taken[index]!))));
  const denies = reports.findIndex(({ admitted }) => !admitted);
  if (takes !== "if all conform" || denies < 0) return merge(parts, reports);
  // The others reported as if they had decided alone.
  const explained = parts.map(async (part, i) => {
    if (reports[i]?.admitted === false) return reports[i];
    // A bucket that starts empty begins to fill with its first touch, even by a call that another limit denies.
    if (changes) void ask("take", { ...part, calls: part.calls.map(free) }).catch(ignore);
    return ask("explain", part);
  });
  return merge(parts, await Promise.all(explained), false);
}

type Ask = (verb: Verb, part: ObjectPart, taken?: readonly Taken[]) => Promise<Report>;

/** The reports up to the first object that denies. */
async function takeFromEach(parts: readonly ObjectPart[], ask: Ask): Promise<Report[]> {
  const reports: Report[] = [];
  for (const part of parts) {
    const report = await ask("take", part).catch(async (error: unknown) => {
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
async function giveBack(parts: readonly ObjectPart[], reports: readonly Report[], ask: Ask): Promise<void> {
  const given = reports.map((report, i) => {
    const part = parts[i]!;
    const entries = entriesOf(part, report);
    const receipts = entries.map(({ from, to, resets = Number.POSITIVE_INFINITY }): Taken => {
      return { where: "own", degraded: undefined, resets, untilUs: report.untilUs.slice(from, to) };
    });
    // Limits in shadow mode took only what conformed.
    const calls = part.calls.map((call, c) => ({
      ...call,
      costs: call.costs.map((cost, limit) => (report.conforms[entries[c]!.from + limit] ? cost : 0)),
    }));
    return ask("refund", { ...part, calls }, receipts);
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
    // The number of the decision on this call.
    const resets = calls.length === 1 ? report.resets : report.resetsOf[i];
    return { report, from, to: at, index: indexes[i]!, resets };
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

function free(call: Call<OwnedSpace>): Call<OwnedSpace> {
  return { ...call, costs: call.costs.map(() => 0) };
}

function ignore(): void {}
