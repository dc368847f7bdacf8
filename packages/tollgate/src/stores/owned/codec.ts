import ALGORITHMS from "../../algorithms/limits/limits.ts";
import type { Limit } from "../../core/limits/limit.ts";
import { hasChosenName, sealLimit } from "../../core/limits/limit-common.ts";
import { createPlan, type Plan } from "../../core/plan.ts";
import { Report } from "../../core/report.ts";
import type { Call } from "../../core/store.ts";
import type { Taken } from "../../core/taken.ts";
import { VERBS, type Verb } from "../../core/verbs.ts";
import type { LimitWords, OwnerAnswer, ReportWords, VerbWords } from "./messages.ts";

interface PlanWords extends Pick<Plan, "scope" | "limiter" | "onChange"> {
  readonly choosesLimits: boolean;
  readonly limits: readonly LimitWords[];
}

export function encodeLimit(limit: Limit): LimitWords {
  return [limit, hasChosenName(limit)];
}

export function decodeLimit([limit, isChosen]: LimitWords): Limit {
  return sealLimit(isChosen ? limit.name : undefined, ALGORITHMS[limit.algorithm], limit);
}

/** What the owner has to know of a space. */
export function encodePlan({ scope, limiter, onChange, limits }: Plan, choosesLimits: boolean): string {
  return JSON.stringify({ scope, limiter, onChange, choosesLimits, limits: limits.map(encodeLimit) });
}

export function decodePlan(text: string): { readonly plan: Plan; readonly choosesLimits: boolean } {
  const { scope, limiter, onChange, choosesLimits, limits } = JSON.parse(text) as PlanWords;
  return { plan: createPlan(scope, limiter, limits.map(decodeLimit), onChange), choosesLimits };
}

/** A verb for keys that one owner has. */
export interface AppliedVerb {
  readonly verb: Verb;
  readonly calls: readonly Call<{ readonly number: number }>[];
  /** The moment by the limiter's own clock; `null` if the owner's decides. */
  readonly toldUs: number | null;
  readonly taken: readonly Taken[] | undefined;
}

/** A key of a verb as its owner reads it. */
interface ReadCall<Space> extends Call<Space> {
  readonly taken: Taken | undefined;
}

const VERB_NAMES = Object.keys(VERBS) as readonly Verb[];
/** The resets of a receipt begin with the number of its owner. */
const MOST_RESETS = 2 ** 32;

type TakenWords = readonly [where: Taken["where"], resets: number | null, untilUs: readonly number[]];

/**
 * A verb as one flat list: its number, the moment, and for each key its space, itself, a cost for each limit, and a
 * receipt if the verb corrects something. In nested lists the most frequent calls would take half as long again.
 */
export function encodeVerb({ verb, calls, toldUs, taken }: AppliedVerb, owner: number): VerbWords {
  const { space, key, costs } = calls[0]!;
  // A list that grows has room for 16 more.
  const words: [number, number | null, ...unknown[]] = [VERB_NAMES.indexOf(verb), toldUs, space.number, key, ...costs];
  for (let i = 0; i < calls.length; i += 1) {
    if (i > 0) words.push(calls[i]!.space.number, calls[i]!.key, ...calls[i]!.costs);
    if (taken !== undefined) words.push(encodeTaken(taken[i]!, owner));
  }
  return words;
}

/** Reads the keys of a verb. `spaceOf` finds a space by its number. */
export function decodeCalls<Space extends { readonly plan: Plan }>(
  words: VerbWords,
  spaceOf: (number: number) => Space,
): readonly ReadCall<Space>[] {
  const calls: ReadCall<Space>[] = [];
  for (let at = 2; at < words.length; ) {
    const space = spaceOf(words[at] as number);
    const key = words[at + 1] as string;
    const end = at + 2 + space.plan.limits.length;
    const receipt = words[end];
    const taken = Array.isArray(receipt) ? decodeTaken(receipt as unknown as TakenWords) : undefined;
    calls.push({ space, key, costs: words.slice(at + 2, end) as number[], taken });
    at = taken === undefined ? end : end + 1;
  }
  return calls;
}

export function decodeVerb(number: number): Verb {
  return VERB_NAMES[number]!;
}

function encodeTaken({ where, resets, untilUs }: Taken, owner: number): TakenWords {
  if (!Number.isFinite(resets)) return [where, null, untilUs];
  const own = resets - owner * MOST_RESETS;
  // What another owner has given out has left, as far as this one knows.
  const isForeign = owner > 0 && !(own >= 0 && own < MOST_RESETS);
  return [where, own, isForeign ? untilUs.map(() => 0) : untilUs];
}

function decodeTaken([where, resets, untilUs]: TakenWords): Taken {
  return { where, degraded: undefined, resets: resets ?? Number.POSITIVE_INFINITY, untilUs };
}

/** What a report may have beside its figures. Usually it has none of these. */
interface ReportExtras
  extends Pick<Report, "overflow" | "overflowOf" | "block" | "lacksCapacity" | "isView" | "resetsOf" | "untilUs"> {
  readonly keptLimits: readonly (LimitWords | null)[];
}

/** Bits of the first word of a report. */
const ADMITTED = 1;
/** The call was admitted, and another would be: then two figures tell all five. */
const FITS = 2;
const HAS_EXTRAS = 4;
/** The report of a refund. */
export const GAVE_BACK: ReportWords = [ADMITTED, null];

/**
 * The report of a call with so many limits: its bits, the resets, the extras if it has some, and for each limit what is
 * used, the reset, whether it conforms, the wait, and what is used after the wait.
 */
export function encodeReport(report: Report, count: number): ReportWords {
  const { admitted, hasEntries, resets = null, conforms, used, waitUs, usedAfterWait, resetUs } = report;
  const extras = extrasOf(report);
  const entries = hasEntries ? count : 0;
  let fits = admitted;
  for (let i = 0; i < entries; i += 1) fits &&= conforms[i]! && waitUs[i] === 0;
  const bits = (admitted ? ADMITTED : 0) + (fits ? FITS : 0);
  const words: [number, number | null, ...unknown[]] =
    extras === undefined ? [bits, resets] : [bits + HAS_EXTRAS, resets, extras];
  for (let i = 0; i < entries; i += 1) {
    words.push(used[i], resetUs[i]);
    // JSON has no infinity.
    if (!fits) words.push(conforms[i] ? 1 : 0, Number.isFinite(waitUs[i]) ? waitUs[i] : null, usedAfterWait[i]);
  }
  return words;
}

/** A copy, because the report is used again. */
function extrasOf(report: Report): ReportExtras | undefined {
  const { overflow, block, overflowOf, resetsOf, untilUs, lacksCapacity, isView, keptLimits } = report;
  const inLists = overflowOf.length + resetsOf.length + untilUs.length + lacksCapacity.length + isView.length;
  if (overflow === undefined && block === undefined && inLists + keptLimits.length === 0) return undefined;
  return {
    overflow,
    block,
    overflowOf: [...overflowOf],
    lacksCapacity: [...lacksCapacity],
    isView: [...isView],
    resetsOf: [...resetsOf],
    untilUs: [...untilUs],
    keptLimits: Array.from(keptLimits, (limit) => (limit === undefined ? null : encodeLimit(limit))),
  };
}

/** Reads the report of a call of this moment, by the limiter's own clock or by the owner's. */
export function decodeReport(words: ReportWords, { owner, nowUs }: OwnerAnswer, toldUs: number | null): Report {
  const [bits, resets, extras] = words;
  const fits = (bits & FITS) !== 0;
  const from = (bits & HAS_EXTRAS) === 0 ? 2 : 3;
  const width = fits ? 2 : 5;
  const report = new Report((words.length - from) / width);
  report.admitted = (bits & ADMITTED) !== 0;
  report.resets = resetsSeen(resets, owner);
  if (from === 3) addExtras(report, extras as ReportExtras, owner);
  for (let at = from, i = 0; at < words.length; at += width, i += 1) {
    report.used[i] = words[at] as number;
    report.resetUs[i] = words[at + 1] as number;
    report.conforms[i] = fits || words[at + 2] === 1;
    report.waitUs[i] = fits ? 0 : ((words[at + 3] as number | null) ?? Number.POSITIVE_INFINITY);
    report.usedAfterWait[i] = words[fits ? at : at + 4] as number;
    // Later calls tell by the owner's time what they correct.
    report.untilUs[i] ||= (toldUs ?? nowUs) + report.resetUs[i]!;
  }
  return report;
}

function addExtras(report: Report, extras: ReportExtras, owner: number): void {
  Object.assign(report, extras, {
    // The asker has other indexes of keys.
    block: extras.block && { ...extras.block, keyIndex: undefined },
    keptLimits: extras.keptLimits.map((limit) => (limit === null ? undefined : decodeLimit(limit))),
    resetsOf: extras.resetsOf.map((resets) => resetsSeen(resets, owner)),
  });
}

function resetsSeen(resets: unknown, owner: number): number | undefined {
  return typeof resets === "number" ? owner * MOST_RESETS + resets : undefined;
}
