import type { ReportedBlock } from "../../../core/blocks.ts";
import type { Limit } from "../../../core/limits/limit.ts";
import { actingAs } from "../../../core/limits/limit-common.ts";
import { countsPlaces } from "../../../core/limits/places.ts";
import { decodeReason } from "../../../core/reason-numbers.ts";
import { Report } from "../../../core/report.ts";
import { isNamedByMoment, scriptAlgorithmOf } from "./algorithms.ts";
import { BLOCK_MARK } from "./block-codes.ts";
import { type LeaseGrant, readGrant } from "./lease.ts";
import { REJECTED_WRITES } from "./rejected-writes.ts";
import { reportCount } from "./script-verbs.ts";
import type { ScriptKey, ScriptTransaction } from "./transaction.ts";

const NEVER = -1;
const NO_REPORTS: readonly Report[] = [];
/** The most frequent outcome: one call, which was admitted. */
const ADMITTED: readonly TransactionOutcome[] = [{ admitted: 1, reports: [] }];

/** The result of a transaction. */
export interface TransactionOutcome {
  /** How many of its calls were admitted, the first ones. For `drop` 1 if the key was removed; for `refund` all. */
  readonly admitted: number;
  /** The reports that `detail` asks for, one per call. Later calls have the figures of the last report. */
  readonly reports: readonly Report[];
  /**
   * Set where the server rejected the write of this transaction: the error's code, such as `"OOM"`. Nothing was written
   * then, and `admitted` and `reports` mean nothing.
   */
  readonly rejected?: string;
  /** The moment of the decision in whole microseconds, if there are reports. */
  readonly decidedUs?: number;
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

/**
 * Decodes the script's reply, an outcome per transaction; `undefined` where the call was cancelled and did nothing. The
 * reply begins with the moment of the decisions. Per transaction it has a negative number (a rejected write), or the
 * number of admitted calls and the reports. A report has per limit: whether it conforms, the units in use, the wait,
 * the units in use after the wait, and the time until it is idle. After the reports comes `Report.untilUs` of each
 * limit on concurrency. After all transactions come notes of limits that are counted under other numbers.
 *
 * @throws Error when the reply does not fit the transactions.
 */
export function decodeReply(
  reply: readonly number[],
  transactions: readonly ScriptTransaction[],
): readonly TransactionOutcome[] | undefined {
  if (transactions.length === 1 && reply.length === 2 && reply[1] === 1 && isUnreported(transactions[0]!)) {
    return ADMITTED;
  }
  if (reply.length === 0) return undefined;
  const numbers = new ReplyReader(reply);
  const decidedUs = numbers.entry();
  const outcomes = transactions.map((transaction) => readOutcome(numbers, transaction, decidedUs));
  return numbers.hasEnded ? outcomes : withNotes(outcomes, numbers, transactions);
}

/** Whether the reply has no report if its only call is admitted. */
function isUnreported({ detail, times }: ScriptTransaction): boolean {
  return detail === "first-denied" && times === 1;
}

function readOutcome(numbers: ReplyReader, transaction: ScriptTransaction, decidedUs: number): TransactionOutcome {
  const admitted = numbers.entry();
  if (admitted < 0) return { admitted: 0, reports: [], rejected: rejectionOf(admitted) };
  const { lease } = transaction;
  const reports = readReports(numbers, transaction, admitted, decidedUs);
  if (lease === undefined) return reports.length === 0 ? { admitted, reports } : { admitted, reports, decidedUs };
  // The calls that wait get it where they are denied.
  reports[0]!.admitted = admitted === lease.calls;
  return { admitted, decidedUs, reports, grant: readGrant(lease, () => numbers.entry()) };
}

function rejectionOf(number: number): string {
  const [code] = REJECTED_WRITES[-1 - number] ?? [];
  if (code === undefined) throw new Error(`script: expected the number of a known rejection, got ${number}`);
  return code;
}

function readReports(
  numbers: ReplyReader,
  transaction: ScriptTransaction,
  admitted: number,
  decidedUs: number,
): readonly Report[] {
  const count = reportCount(transaction, admitted);
  if (count === 0) return NO_REPORTS;
  const { keys } = transaction;
  const limits = keys.length === 1 ? keys[0]!.plan.plan.limits : keys.flatMap(({ plan }) => plan.plan.limits);
  const reports: Report[] = [];
  // Otherwise the only report is that of the first denied call.
  const admittedReports = transaction.detail === "each" ? admitted : 0;
  for (let i = 0; i < count; i += 1) {
    reports.push(readReport(numbers, i < admittedReports, limits.length, transaction));
  }
  if (transaction.lease === undefined) readUntils(numbers, limits, reports);
  noteEnds(limits, reports, decidedUs);
  return reports;
}

/** When places free themselves that were taken at the moment of the transaction. */
function readUntils(numbers: ReplyReader, limits: readonly Limit[], reports: readonly Report[]): void {
  for (const [entry, limit] of limits.entries()) {
    const untilUs = countsPlaces(limit) ? numbers.next() : undefined;
    if (untilUs !== undefined) for (const report of reports) report.untilUs[entry] = untilUs;
  }
}

/** The moment of the decision, and when units leave that were taken then, where that moment names them. */
function noteEnds(limits: readonly Limit[], reports: readonly Report[], decidedUs: number): void {
  for (const report of reports) {
    report.resets = decidedUs;
    for (const [i, limit] of limits.entries()) {
      if (isNamedByMoment(limit)) report.untilUs[i] ??= decidedUs + report.resetUs[i]!;
    }
  }
}

/**
 * Each note has the transaction, the key and the limit, from 1, whether the counts moved, and the kind and the numbers
 * under which they were written.
 */
function withNotes(
  outcomes: readonly TransactionOutcome[],
  numbers: ReplyReader,
  transactions: readonly ScriptTransaction[],
): readonly TransactionOutcome[] {
  const moved = outcomes.map(() => new Map<number, Limit[]>());
  while (!numbers.hasEnded) {
    const [number, key, i] = [numbers.entry() - 1, numbers.entry() - 1, numbers.entry() - 1];
    const isMoved = numbers.entry() === 1;
    const { keys = [] } = transactions[number] ?? {};
    const { limits = [], onChange } = keys[key]?.plan.plan ?? {};
    const own = limits[i];
    if (own === undefined) throw new Error(`script: expected a reply of at most ${numbers.at} numbers`);
    const from = scriptAlgorithmOf(own).remake(own, String.fromCharCode(numbers.entry()), () => numbers.next());
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

function readReport(numbers: ReplyReader, admitted: boolean, limits: number, { keys }: ScriptTransaction): Report {
  const report = new Report();
  report.admitted = admitted;
  if (numbers.nextIs(BLOCK_MARK)) report.block = readBlock(numbers, keys);
  for (let i = 0; i < limits; i += 1) {
    report.conforms[i] = numbers.next() === 1;
    report.used[i] = numbers.next();
    report.waitUs[i] = numbers.next();
    report.usedAfterWait[i] = numbers.next();
    report.resetUs[i] = numbers.next();
  }
  return report;
}

/** What follows the mark: microseconds until the end, whether it denied, the number of its key, and the reason. */
function readBlock(numbers: ReplyReader, keys: readonly ScriptKey[]): ReportedBlock {
  const forUs = numbers.entry();
  const denied = numbers.entry() === 1;
  const { limiter } = keys[numbers.entry() - 1]!.plan.plan;
  const reason = Array.from({ length: numbers.entry() }, () => numbers.entry());
  return { limiter, forUs, reason: decodeReason(reason), denied };
}

class ReplyReader {
  readonly #reply: readonly number[];
  #at = 0;

  constructor(reply: readonly number[]) {
    this.#reply = reply;
  }

  /** How many entries it has read. */
  get at(): number {
    return this.#at;
  }

  /** Negative entries stand for what is no exact integer: -1 is never; after -1 - n comes a number halved n times. */
  next(): number {
    const number = this.entry();
    if (number >= 0) return number;
    return number === NEVER ? Number.POSITIVE_INFINITY : this.entry() * 2 ** (NEVER - number);
  }

  get hasEnded(): boolean {
    return this.#at === this.#reply.length;
  }

  /** Whether the next entry is this one, which is skipped then. */
  nextIs(entry: number): boolean {
    if (this.#reply[this.#at] !== entry) return false;
    this.#at += 1;
    return true;
  }

  /** The next entry, as it was sent. */
  entry(): number {
    const number = this.#reply[this.#at];
    if (number === undefined) throw new Error(`script: expected a reply of more than ${this.#at} numbers`);
    this.#at += 1;
    return number;
  }
}
