import { startsEmpty } from "../../algorithms/registry.ts";
import { readUs } from "../../core/clock.ts";
import { Report } from "../../core/report.ts";
import type { Verb } from "../../core/store.ts";
import type { AskOptions, KeyCall } from "./batch/key-call.ts";
import type { Answer } from "./batch/waiter.ts";
import { Outage } from "./failure/outage.ts";
import type { SlotPart } from "./slots.ts";

/** Applies a verb to calls whose keys share a slot. */
export type Ask = (verb: Verb, calls: readonly KeyCall[], options?: AskOptions) => Promise<Answer>;

/**
 * Applies a verb to keys of several slots of a cluster, where nothing happens to all of them at one instant: a take looks at all first,
 * then asks slot after slot, and gives back what it took if one denies after all, as far as that must still count. Nothing is ever admitted
 * beyond a limit; while it is under way others may be denied what it will give back.
 *
 * @throws Outage when one could not be asked; what was taken is given back as far as the others can be asked.
 */
export async function applyToSlots(verb: Verb, parts: readonly SlotPart[], ask: Ask): Promise<Report> {
  const report = new Report();
  const answers = await applyToEach(verb === "take" ? "peek" : verb, parts, ask, report);
  report.admitted = answers.every(({ admitted }) => admitted);
  if (verb !== "take" && verb !== "peek") return report;
  if (report.admitted) return verb === "peek" ? report : takeInTurn(parts, report, ask);
  if (verb === "take") await Promise.allSettled(touch(parts, ask));
  return denied(
    report,
    parts.filter((_, i) => answers[i]!.admitted),
    ask,
  );
}

async function takeInTurn(parts: readonly SlotPart[], report: Report, ask: Ask): Promise<Report> {
  const taken: Taken[] = [];
  for (const [i, part] of parts.entries()) {
    const answer = await ask("take", part.calls, { tellsTime: true }).catch(async (error: unknown) => {
      await Promise.allSettled(refund(taken, report, ask));
      throw error;
    });
    place(answer.report, part, report);
    if (answer.report.admitted) {
      taken.push({ part, takenUs: answer.decidedUs });
      continue;
    }
    await Promise.allSettled([...refund(taken, report, ask), ...touch(parts.slice(i + 1), ask)]);
    return denied(
      report,
      parts.filter((other) => other !== part),
      ask,
    );
  }
  return report;
}

/** A part from which units were taken, and when. */
interface Taken {
  readonly part: SlotPart;
  readonly takenUs: number | undefined;
}

/**
 * Gives back to buckets what must still count of the units that they gave. Others may have taken from a bucket meanwhile, or it may have
 * refilled: of what was taken at a moment, no more counts for certain than what has not come back since if nothing else was taken. In a
 * window others may have come since: it would give back their units, and so admit too many. What one took stays taken.
 */
function refund(taken: readonly Taken[], report: Report, ask: Ask): Promise<void>[] {
  return taken.map(async ({ part: { calls, at }, takenUs }) => {
    if (takenUs === undefined) return;
    const given = calls.map((call, i) => ({
      ...call,
      // Limits in shadow mode took only what conformed.
      costs: call.costs.map((cost, limit) => {
        const isBucket = call.space.plan.limits[limit]!.algorithm === "token-bucket";
        return isBucket && report.conforms[at[i]! + limit] ? cost : 0;
      }),
    }));
    // By a client's clock it is later by now.
    await ask("refund", given, { takenUs, nowUs: readUs(calls[0]!.space.clock) });
  });
}

/** Asks for nothing: a bucket that starts empty starts to fill with its first touch, even a denied one. */
function touch(parts: readonly SlotPart[], ask: Ask): Promise<Answer>[] {
  const startEmpty = parts.filter(({ calls }) => calls.some(({ space }) => startsEmpty(space.plan)));
  return startEmpty.map(({ calls }) =>
    ask(
      "take",
      calls.map((call) => ({ ...call, costs: call.costs.map(() => 0) })),
    ),
  );
}

/**
 * The report of a denial. Those parts that did not deny were looked at as if they alone decided: it shows them as they are. What denied
 * stays as it was then, for it may conform by now. A denial is sure, whatever cannot be asked any more.
 */
async function denied(report: Report, others: readonly SlotPart[], ask: Ask): Promise<Report> {
  report.admitted = false;
  await applyToEach("explain", others, ask, report).catch((error: unknown) => {
    if (!(error instanceof Outage)) throw error;
  });
  return report;
}

/** Writes the entries of all parts in a report about all. */
async function applyToEach(verb: Verb, parts: readonly SlotPart[], ask: Ask, report: Report): Promise<Report[]> {
  const answers = await Promise.all(parts.map(({ calls }) => ask(verb, calls)));
  for (const [i, part] of parts.entries()) place(answers[i]!.report, part, report);
  return answers.map((answer) => answer.report);
}

/** Writes a part's entries where they belong in the report about all. */
function place(answer: Report, { calls, at }: SlotPart, report: Report): void {
  let from = 0;
  for (const [i, { costs }] of calls.entries()) {
    for (let limit = 0; limit < costs.length; limit += 1) copyEntry(answer, from + limit, report, at[i]! + limit);
    from += costs.length;
  }
}

function copyEntry(from: Report, source: number, to: Report, target: number): void {
  to.conforms[target] = from.conforms[source]!;
  to.used[target] = from.used[source]!;
  to.waitUs[target] = from.waitUs[source]!;
  to.usedAfterWait[target] = from.usedAfterWait[source]!;
  to.resetUs[target] = from.resetUs[source]!;
}
