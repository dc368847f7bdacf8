import { compileLimit } from "../../algorithms/compile-limit.ts";
import { readUs } from "../../core/clock.ts";
import { blocksKeys } from "../../core/plan.ts";
import { Report } from "../../core/report.ts";
import type { Verb } from "../../core/verbs.ts";
import { addAnswer, type CallPart } from "../remote/call-parts.ts";
import { applyToEach, type Owners, takeFromEach, tookOf, touch, withCosts } from "../remote/several-owners.ts";
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
  const slots: Owners<SlotPart> = {
    ask: (one, { calls }) => ask(one, calls),
    giveBack: (part, answer) => giveBack(part, answer, ask),
  };
  const report = new Report();
  let denying = await applyToEach(decides ? "peek" : verb, parts, slots, report);
  if (decides && changes) {
    if (denying.length === 0) denying = await takeFromEach(parts, slots, report);
    else await Promise.allSettled([touch(parts, slots), beginBlocks(denying, slots, report)]);
  }
  report.admitted = denying.length === 0;
  if (!decides || report.admitted) return report;
  // The peek described the other parts as if they decided alone. The entries of a part that denied stay, because it may
  // conform by now. A slot that is unavailable now does not change the denial.
  const others = parts.filter((part) => !denying.includes(part));
  await applyToEach("explain", others, slots, report).catch((error: unknown) => {
    if (!(error instanceof UnavailableError)) throw error;
  });
  return report;
}

/**
 * Gives buckets back the part of the units that must still count. Other calls may have taken from a bucket meanwhile,
 * or it may have refilled. Certain is only what would not have refilled since if nothing else was taken. A window
 * keeps its units: it would give back those of other calls, and so admit too many.
 */
async function giveBack(part: SlotPart, { resets: takenUs }: Report, ask: Ask): Promise<void> {
  if (takenUs === undefined) return;
  const canRevoke = ({ space }: KeyCall, limit: number): boolean =>
    compileLimit(space.plan.limits[limit]!, 0).revoke !== undefined;
  const { calls } = withCosts(part, (cost, call, limit) => (canRevoke(call, limit) ? cost : 0));
  // A client's clock has advanced since the call.
  await ask("refund", calls, { takenUs, nowUs: readUs(calls[0]!.space.clock) });
}

/**
 * A peek has found that limits deny, and began no block. So the parts that deny are asked to take, if one of their
 * limits blocks keys: they deny again and begin the block, or what they take is given back.
 */
async function beginBlocks(denying: readonly SlotPart[], slots: Owners<SlotPart>, report: Report): Promise<void> {
  if (report.block !== undefined) return;
  for (const part of denying.filter(({ calls }) => calls.some(({ space }) => blocksKeys(space.plan)))) {
    const answer = await slots.ask("take", part);
    addAnswer(answer, part, report);
    if (answer.admitted) await Promise.allSettled([slots.giveBack(tookOf(part, answer), answer)]);
  }
}
