import { Report } from "../../core/report.ts";
import type { Call } from "../../core/store.ts";
import type { Taken } from "../../core/taken.ts";
import { VERBS, type Verb } from "../../core/verbs.ts";
import type { OwnedSpace } from "../owned/owned-space.ts";
import type { SpaceVerb } from "../owned/questions.ts";
import { addAnswer, type CallPart } from "../remote/call-parts.ts";

/** The calls whose keys are in one object, by its name. */
export type ObjectPart = CallPart<Call<OwnedSpace>, string>;

/** Applies a verb to the calls of one object. */
export type AskObject = (name: string, call: SpaceVerb) => Promise<Report>;

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
  if (parts.length === 1) return askObject(parts[0]!.owner, call);
  const ask: Ask = (one, { owner, calls }, receipts) => askObject(owner, { verb: one, calls, toldUs, taken: receipts });
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
    const receipts: Taken[] = [];
    let at = 0;
    const calls = part.calls.map((call, c) => {
      const from = at;
      at += call.costs.length;
      const resets = report.resetsOf[c] ?? report.resets ?? Number.POSITIVE_INFINITY;
      receipts.push({ where: "own", degraded: undefined, resets, untilUs: report.untilUs.slice(from, at) });
      // Limits in shadow mode took only what conformed.
      return { ...call, costs: call.costs.map((cost, limit) => (report.conforms[from + limit] ? cost : 0)) };
    });
    return ask("refund", { ...part, calls }, receipts);
  });
  await Promise.allSettled(given);
}

/** One report with the entries of all calls, in their order. */
function merge(parts: readonly ObjectPart[], reports: readonly Report[], admitted?: boolean): Report {
  const merged = new Report();
  merged.admitted = admitted ?? reports.every((report) => report.admitted);
  for (const [i, part] of parts.entries()) addAnswer(reports[i]!, part, merged);
  return merged;
}

function free(call: Call<OwnedSpace>): Call<OwnedSpace> {
  return { ...call, costs: call.costs.map(() => 0) };
}

function ignore(): void {}
