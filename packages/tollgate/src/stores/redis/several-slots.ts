import { compileLimit, startsEmpty } from "../../algorithms/compile-limit.ts";
import { readUs } from "../../core/clock.ts";
import { blocksKeys } from "../../core/plan.ts";
import { Report } from "../../core/report.ts";
import type { Verb } from "../../core/verbs.ts";
import { addAnswer, type CallPart } from "../remote/call-parts.ts";
import { UnavailableError } from "../remote/unavailable-error.ts";
import type { AskOptions, KeyCall } from "./batch/key-call.ts";
import { SCRIPT_VERBS } from "./script/script-verbs.ts";

/** The calls whose keys are in one slot. */
type SlotPart = CallPart<KeyCall>;
/** Applies a verb to calls whose keys are in one slot. */
export type Ask = (verb: Verb, calls: readonly KeyCall[], options?: AskOptions) => Promise<Report>;

/**
 * Applies a verb to keys of several cluster slots, which no transaction covers. A take peeks at all slots, then takes
 * slot by slot. If a slot denies after all, it gives back the part of the units that must still count. No limit is
 * ever exceeded; concurrent calls may be denied units that are given back later.
 *
 * @throws UnavailableError when a slot is unavailable, after giving back what the other slots accept.
 */
export async function applyToSlots(verb: Verb, parts: readonly SlotPart[], ask: Ask): Promise<Report> {
  const { decides, changes } = SCRIPT_VERBS[verb];
  const report = new Report();
  const answers = await applyToEach(decides ? "peek" : verb, parts, ask, report);
  report.admitted = answers.every(({ admitted }) => admitted);
  if (!decides || (report.admitted && !changes)) return report;
  if (report.admitted) return takeSlotBySlot(parts, report, ask);
  if (changes) await Promise.allSettled([...touch(parts, ask), beginBlocks(parts, answers, report, ask)]);
  return describeDenial(
    report,
    parts.filter((_, i) => answers[i]!.admitted),
    ask,
  );
}

async function takeSlotBySlot(parts: readonly SlotPart[], report: Report, ask: Ask): Promise<Report> {
  const taken: Taken[] = [];
  for (const [i, part] of parts.entries()) {
    const answer = await ask("take", part.calls).catch(async (error: unknown) => {
      await Promise.allSettled(refund(taken, report, ask));
      throw error;
    });
    addAnswer(answer, part, report);
    if (answer.admitted) {
      taken.push({ part, takenUs: answer.resets });
      continue;
    }
    await Promise.allSettled([...refund(taken, report, ask), ...touch(parts.slice(i + 1), ask)]);
    return describeDenial(
      report,
      parts.filter((other) => other !== part),
      ask,
    );
  }
  return report;
}

/** A part from which units were taken, and the moment. */
interface Taken {
  readonly part: SlotPart;
  readonly takenUs: number | undefined;
}

/**
 * Gives buckets back the part of the units that must still count. Other calls may have taken from a bucket meanwhile,
 * or it may have refilled. Certain is only what would not have refilled since if nothing else was taken. A window
 * keeps its units: it would give back those of other calls, and so admit too many.
 */
function refund(taken: readonly Taken[], report: Report, ask: Ask): Promise<void>[] {
  return taken.map(async ({ part: { calls, at }, takenUs }) => {
    if (takenUs === undefined) return;
    const given = calls.map((call, i) => ({
      ...call,
      // Limits in shadow mode took only what conformed.
      costs: call.costs.map((cost, limit) => {
        const canRevoke = compileLimit(call.space.plan.limits[limit]!, 0).revoke !== undefined;
        return canRevoke && report.conforms[at[i]! + limit] ? cost : 0;
      }),
    }));
    // A client's clock has advanced since the call.
    await ask("refund", given, { takenUs, nowUs: readUs(calls[0]!.space.clock) });
  });
}

/**
 * A peek has found that limits deny, and began no block. So the parts that deny are asked to take, if one of their
 * limits blocks keys: they deny again and begin the block, or what they take is given back.
 */
async function beginBlocks(
  parts: readonly SlotPart[],
  answers: readonly Report[],
  report: Report,
  ask: Ask,
): Promise<void> {
  if (report.block !== undefined) return;
  const denying = parts.filter(
    ({ calls }, i) => !answers[i]!.admitted && calls.some(({ space }) => blocksKeys(space.plan)),
  );
  for (const part of denying) {
    const answer = await ask("take", part.calls);
    addAnswer(answer, part, report);
    if (answer.admitted) await Promise.allSettled(refund([{ part, takenUs: answer.resets }], report, ask));
  }
}

/** Takes nothing. A bucket that starts empty starts to fill with its first call, even a denied one. */
function touch(parts: readonly SlotPart[], ask: Ask): Promise<Report>[] {
  const startEmpty = parts.filter(({ calls }) => calls.some(({ space }) => startsEmpty(space.plan)));
  return startEmpty.map(({ calls }) =>
    ask(
      "take",
      calls.map((call) => ({ ...call, costs: call.costs.map(() => 0) })),
    ),
  );
}

/**
 * Completes the report of a denial. The peek described the parts that did not deny as if they decided alone, so it
 * explains them again. The entries of the part that denied stay, because it may conform by now. A slot that is
 * unavailable now does not change the denial.
 */
async function describeDenial(report: Report, others: readonly SlotPart[], ask: Ask): Promise<Report> {
  report.admitted = false;
  await applyToEach("explain", others, ask, report).catch((error: unknown) => {
    if (!(error instanceof UnavailableError)) throw error;
  });
  return report;
}

/** Applies a verb to each part, and writes the entries of all parts into one report. */
async function applyToEach(verb: Verb, parts: readonly SlotPart[], ask: Ask, report: Report): Promise<Report[]> {
  const answers = await Promise.all(parts.map(({ calls }) => ask(verb, calls)));
  for (const [i, part] of parts.entries()) addAnswer(answers[i]!, part, report);
  return answers;
}
