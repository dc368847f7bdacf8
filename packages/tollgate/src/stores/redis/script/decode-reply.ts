import type { ReportedBlock } from "../../../core/blocks.ts";
import type { Limit } from "../../../core/limits/limit.ts";
import { actingAs } from "../../../core/limits/limit-common.ts";
import { countsPlaces } from "../../../core/limits/places.ts";
import type { Plan } from "../../../core/plan.ts";
import { decodeReason } from "../../../core/reason-numbers.ts";
import { Report } from "../../../core/report.ts";
import { scriptAlgorithmOf } from "./algorithms.ts";
import { type LeaseGrant, readGrant } from "./lease.ts";
import { BLOCK_MARK, FITS } from "./reply-codes.ts";
import { SCRIPT_VERBS } from "./script-verbs.ts";
import type { ScriptKey, ScriptTransaction } from "./transaction.ts";

const NEVER = -1;
/** How many numbers a report has for each limit. */
const ENTRY = 5;
const FITTING_ENTRY = 2;
const NO_REPORTS: readonly Report[] = [];

/** The result of a transaction. */
export interface TransactionOutcome {
  /** How many of its calls were admitted, the first ones. For `drop` 1 if the key was removed; for `refund` all. */
  readonly admitted: number;
  /** The reports that `detail` asks for, one per call. Later calls have the figures of the last report. */
  readonly reports: readonly Report[];
  /** Set with `lease`. */
  readonly grant?: LeaseGrant;
  /** Keys of the transaction whose counts moved to other numbers. */
  readonly moved?: readonly MovedKey[];
}

/** A key whose counts moved to other numbers. */
export interface MovedKey {
  /** The place of the key in its transaction. */
  readonly key: number;
  /** The limits of the same names, as they were. */
  readonly from: readonly Limit[];
}

/** The numbers of a reply, and how many of them were read. */
interface Numbers {
  readonly reply: readonly number[];
  at: number;
}

/**
 * Decodes the script's reply, an outcome per transaction; `undefined` where the call was cancelled and did nothing. The
 * reply begins with the moment of the decisions. Per transaction it has the number of admitted calls and the reports. A
 * report has per limit: whether it conforms, the units in use, the wait, the units in use after the wait, and the time
 * until it is idle. Clients take long for each number. So where the same call would conform again, a limit may have
 * two: `FITS` more than the units in use, and that time. After the reports comes `Report.untilUs` of each limit on
 * concurrency. For another receipt than the client has read there is -1 less the length of its text, and the text.
 * After all transactions come notes of limits that are counted under other numbers.
 *
 * @throws Error when the reply does not fit the transactions.
 */
export function decodeReply(
  reply: readonly number[],
  transactions: readonly ScriptTransaction[],
): readonly TransactionOutcome[] | undefined {
  if (reply.length === 0) return undefined;
  const numbers: Numbers = { reply, at: 1 };
  const decidedUs = reply[0]!;
  // A list that grows has room for 16 more.
  const outcomes = new Array<TransactionOutcome>(transactions.length);
  for (let i = 0; i < outcomes.length; i += 1) outcomes[i] = readOutcome(numbers, transactions[i]!, decidedUs);
  return numbers.at === reply.length ? outcomes : withNotes(outcomes, numbers, transactions);
}

function readOutcome(numbers: Numbers, transaction: ScriptTransaction, decidedUs: number): TransactionOutcome {
  const admitted = next(numbers);
  if (admitted < 0) return unchanged(readText(numbers, -1 - admitted));
  const { lease } = transaction;
  const reports = readReports(numbers, transaction, admitted, decidedUs);
  if (lease === undefined) return { admitted, reports };
  // The calls that wait get it where they are denied.
  reports[0]!.admitted = admitted === lease.calls;
  return { admitted, reports, grant: readGrant(lease, () => next(numbers)) };
}

/** Nothing was done: the receipt is another one than the client has read. */
function unchanged(receipt: string): TransactionOutcome {
  const report = new Report();
  report.receipt = receipt;
  return { admitted: 0, reports: [report] };
}

/** A number has 6 bytes of the text. */
function readText(numbers: Numbers, length: number): string {
  let text = "";
  while (text.length < length) {
    const number = next(numbers);
    for (let bytes = 1; bytes < 2 ** 48; bytes *= 256) text += String.fromCharCode(Math.floor(number / bytes) % 256);
  }
  return text.slice(0, length);
}

function readReports(
  numbers: Numbers,
  transaction: ScriptTransaction,
  admitted: number,
  decidedUs: number,
): readonly Report[] {
  const { verb, times, keys, detail, lease } = transaction;
  const { reported } = SCRIPT_VERBS[verb];
  // Otherwise the only report is that of the first denied call.
  const admittedReports = detail === "each" ? admitted : 0;
  const isOnce = detail === "each" && reported === "once";
  const count = reported === "none" ? 0 : isOnce ? 1 : admittedReports + (admitted < times ? 1 : 0);
  if (count === 0) return NO_REPORTS;
  const reports = new Array<Report>(count);
  for (let i = 0; i < count; i += 1) reports[i] = readReport(numbers, i < admittedReports, keys, decidedUs);
  let entry = 0;
  for (const { plan } of keys) {
    if (plan.plan.takesPlaces && lease === undefined) readUntils(numbers, plan.plan, entry, reports);
    entry += plan.plan.limits.length;
  }
  return reports;
}

/** When places free themselves that were taken at the moment of the transaction. Entries are from `at` on. */
function readUntils(numbers: Numbers, { limits }: Plan, at: number, reports: readonly Report[]): void {
  for (const [i, limit] of limits.entries()) {
    const untilUs = countsPlaces(limit) ? next(numbers) : undefined;
    if (untilUs !== undefined) for (const report of reports) report.untilUs[at + i] = untilUs;
  }
}

/**
 * Each note has the transaction, the key and the limit, from 1, whether the counts moved, and the kind and the numbers
 * under which they were written.
 */
function withNotes(
  outcomes: readonly TransactionOutcome[],
  numbers: Numbers,
  transactions: readonly ScriptTransaction[],
): readonly TransactionOutcome[] {
  const moved = outcomes.map(() => new Map<number, Limit[]>());
  while (numbers.at < numbers.reply.length) {
    const [number, key, i] = [next(numbers) - 1, next(numbers) - 1, next(numbers) - 1];
    const isMoved = next(numbers) === 1;
    const { keys = [] } = transactions[number] ?? {};
    const { limits = [], onChange } = keys[key]?.plan.plan ?? {};
    const own = limits[i];
    if (own === undefined) throw new Error(`script: expected a reply of at most ${numbers.at} numbers`);
    const from = scriptAlgorithmOf(own).remake(own, String.fromCharCode(next(numbers)), () => next(numbers));
    if (isMoved) moved[number]!.set(key, [...(moved[number]!.get(key) ?? []), from]);
    else {
      const entry = keys.slice(0, key).reduce((sum, { plan }) => sum + plan.plan.limits.length, i);
      noteShown(outcomes[number]!.reports, entry, onChange === "keep-first" ? actingAs(from, own) : undefined);
    }
  }
  return outcomes.map((outcome, number) => {
    const keys = [...moved[number]!].map(([key, from]) => ({ key, from }));
    return keys.length === 0 ? outcome : { ...outcome, moved: keys };
  });
}

function noteShown(reports: readonly Report[], entry: number, kept: Limit | undefined): void {
  for (const report of reports) {
    report.isView[entry] = true;
    if (kept !== undefined) report.keptLimits[entry] = kept;
  }
}

/** The moment of the decision also says when units leave that were taken then, where that moment names them. */
function readReport(numbers: Numbers, admitted: boolean, keys: readonly ScriptKey[], decidedUs: number): Report {
  const { reply } = numbers;
  const report = new Report(keys.length === 1 ? keys[0]!.plan.plan.limits.length : 0);
  report.admitted = admitted;
  report.resets = decidedUs;
  for (let i = 0; keys.length > 1 && i < keys.length; i += 1) report.resetsOf[i] = decidedUs;
  if (reply[numbers.at] === BLOCK_MARK) report.block = readBlock(numbers, keys);
  let entry = 0;
  for (const { plan } of keys) {
    for (let i = 0; i < plan.plan.limits.length; i += 1) {
      numbers.at += readEntry(reply, numbers.at, report, entry);
      if (plan.isNamedByMoment[i]!) report.untilUs[entry] = decidedUs + report.resetUs[entry]!;
      entry += 1;
    }
  }
  if (numbers.at > reply.length) throw tooShort(reply);
  return report;
}

/** @returns how many numbers the entry has. */
function readEntry(reply: readonly number[], at: number, report: Report, entry: number): number {
  const first = reply[at]!;
  const fits = first >= FITS;
  const used = fits ? first - FITS : reply[at + 1]!;
  report.conforms[entry] = first > 0;
  report.used[entry] = used;
  report.waitUs[entry] = fits ? 0 : reply[at + 2] === NEVER ? Number.POSITIVE_INFINITY : reply[at + 2]!;
  report.usedAfterWait[entry] = fits ? used : reply[at + 3]!;
  report.resetUs[entry] = reply[fits ? at + 1 : at + 4]!;
  return fits ? FITTING_ENTRY : ENTRY;
}

/** After the mark follow microseconds until the end, whether it denied, the number of its key, and the reason. */
function readBlock(numbers: Numbers, keys: readonly ScriptKey[]): ReportedBlock {
  numbers.at += 1;
  const forUs = next(numbers);
  const denied = next(numbers) === 1;
  const { limiter } = keys[next(numbers) - 1]!.plan.plan;
  const reason = Array.from({ length: next(numbers) }, () => next(numbers));
  return { limiter, forUs, reason: decodeReason(reason), denied };
}

function next(numbers: Numbers): number {
  const number = numbers.reply[numbers.at];
  if (number === undefined) throw tooShort(numbers.reply);
  numbers.at += 1;
  return number;
}

function tooShort({ length }: readonly number[]): Error {
  return new Error(`script: expected a reply of more than ${length} numbers`);
}
