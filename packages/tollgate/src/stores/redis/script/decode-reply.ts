import type { ReportedBlock } from "../../../core/blocks.ts";
import type { Limit } from "../../../core/limits/limit.ts";
import { actingAs } from "../../../core/limits/limit-common.ts";
import { countsPlaces } from "../../../core/limits/places.ts";
import { decodeReason } from "../../../core/reason-numbers.ts";
import { Report } from "../../../core/report.ts";
import { isNamedByMoment } from "./algorithms.ts";
import { BLOCK_MARK } from "./block-codes.ts";
import { type LeaseGrant, readGrant } from "./lease.ts";
import { REJECTED_WRITES } from "./rejected-writes.ts";
import { reportCount, SCRIPT_VERBS } from "./script-verbs.ts";
import type { ScriptKey, ScriptTransaction } from "./transaction.ts";

const NEVER = -1;
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
  /** The moment of the decision in whole microseconds, with `reportsTime`. */
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
 * Decodes the script's reply, an outcome per transaction; `undefined` where the call was cancelled and did nothing. Per
 * transaction the reply has a negative number (a rejected write), or the number of admitted calls, the moment if
 * requested, and the reports. A report has per limit: whether it conforms, the units in use, the wait, the units in use
 * after the wait, and the time until it is idle. After the reports comes `Report.untilUs` of each limit on concurrency.
 * After all transactions come the keys that moved.
 *
 * @throws Error when the reply does not fit the transactions.
 */
export function decodeReply(
  reply: readonly number[],
  transactions: readonly ScriptTransaction[],
  described?: readonly Limit[],
): readonly TransactionOutcome[] | undefined {
  if (transactions.length === 1 && reply.length === 1 && reply[0] === 1 && isUnreported(transactions[0]!))
    return ADMITTED;
  if (reply.length === 0 && transactions.length > 0) return undefined;
  const numbers = new ReplyReader(reply);
  const outcomes = transactions.map((transaction) => readOutcome(numbers, transaction, described));
  if (described !== undefined && !numbers.hasEnded) return withMoves(outcomes, numbers, described);
  numbers.end();
  return outcomes;
}

/** Each move has its transaction and the key in it, from 1, and the numbers of the former limits after their count. */
function withMoves(
  outcomes: readonly TransactionOutcome[],
  numbers: ReplyReader,
  described: readonly Limit[],
): readonly TransactionOutcome[] {
  const moved: MovedKey[][] = outcomes.map(() => []);
  while (!numbers.hasEnded) {
    const [transaction, key, count] = [numbers.entry() - 1, numbers.entry() - 1, numbers.entry()];
    const from = Array.from({ length: count }, () => described[numbers.entry() - 1]!);
    moved[transaction]!.push({ key, from });
  }
  return outcomes.map((outcome, i) => (moved[i]!.length === 0 ? outcome : { ...outcome, moved: moved[i]! }));
}

/** Whether the reply has no report if its only call is admitted. */
function isUnreported({ detail, times, reportsTime }: ScriptTransaction): boolean {
  return detail === "first-denied" && times === 1 && reportsTime !== true;
}

function readOutcome(
  numbers: ReplyReader,
  transaction: ScriptTransaction,
  described: readonly Limit[] | undefined,
): TransactionOutcome {
  const admitted = numbers.entry();
  if (admitted < 0) return { admitted: 0, reports: [], rejected: rejectionOf(admitted) };
  const decidedUs = transaction.reportsTime === true ? numbers.entry() : undefined;
  if (transaction.lease !== undefined) {
    const reports = readReports(numbers, transaction, admitted, undefined, decidedUs);
    // The calls that wait get it where they are denied.
    reports[0]!.admitted = admitted === transaction.lease.calls;
    return { admitted, reports, grant: readGrant(transaction.lease, () => numbers.entry()) };
  }
  const reports = readReports(numbers, transaction, admitted, described, decidedUs);
  return decidedUs === undefined ? { admitted, reports } : { admitted, decidedUs, reports };
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
  described: readonly Limit[] | undefined,
  decidedUs: number | undefined,
): Report[] {
  let limits = 0;
  for (const { plan } of transaction.keys) limits += plan.plan.limits.length;
  const count = reportCount(transaction, admitted);
  const reports: Report[] = [];
  // Otherwise the only report is that of the first denied call.
  const admittedReports = transaction.detail === "each" ? admitted : 0;
  for (let i = 0; i < count; i += 1) {
    reports.push(readReport(numbers, i < admittedReports, limits, transaction));
  }
  if (described !== undefined && count > 0) {
    readShown(numbers, transaction, described, reports);
    readUntils(numbers, transaction, reports);
  }
  if (decidedUs !== undefined) noteEnds(transaction, reports, decidedUs);
  return reports;
}

/** The limits whose counts the entries show: 0 is the plan's own. Plans that carry over say so for views alone. */
function readShown(
  numbers: ReplyReader,
  transaction: ScriptTransaction,
  described: readonly Limit[],
  reports: readonly Report[],
): void {
  const isView = hasOnlyViewed(transaction, reports);
  let entry = 0;
  for (const { plan } of transaction.keys) {
    const keepsFirst = plan.plan.onChange === "keep-first";
    const says = keepsFirst || isView;
    for (const own of plan.plan.limits) {
      const shown = says ? described[numbers.entry() - 1] : undefined;
      if (shown !== undefined) noteShown(reports, entry, keepsFirst ? actingAs(shown, own) : undefined);
      entry += 1;
    }
  }
}

/** When places free themselves that were taken at the moment of the transaction. */
function readUntils(numbers: ReplyReader, { keys }: ScriptTransaction, reports: readonly Report[]): void {
  let entry = 0;
  for (const { plan } of keys) {
    for (const limit of plan.plan.limits) {
      const untilUs = countsPlaces(limit) ? numbers.next() : undefined;
      if (untilUs !== undefined) for (const report of reports) report.untilUs[entry] = untilUs;
      entry += 1;
    }
  }
}

/** When units leave that were taken at the moment of the transaction, where that moment names them. */
function noteEnds({ keys }: ScriptTransaction, reports: readonly Report[], decidedUs: number): void {
  const limits = keys.flatMap(({ plan }) => plan.plan.limits);
  for (const { untilUs, resetUs } of reports) {
    for (const [i, limit] of limits.entries()) {
      if (isNamedByMoment(limit)) untilUs[i] ??= decidedUs + resetUs[i]!;
    }
  }
}

/** A change moves counts to the plan's numbers, even if it is denied. Those of a blocked key stay where they are. */
function hasOnlyViewed({ verb }: ScriptTransaction, reports: readonly Report[]): boolean {
  const { changes, decides } = SCRIPT_VERBS[verb];
  return !changes || (decides && reports.at(-1)?.block?.denied === true);
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

  /** Negative entries stand for what is no exact integer: -1 is never; after -1 - n comes a number halved n times. */
  next(): number {
    const number = this.entry();
    if (number >= 0) return number;
    return number === NEVER ? Number.POSITIVE_INFINITY : this.entry() * 2 ** (NEVER - number);
  }

  get hasEnded(): boolean {
    return this.#at === this.#reply.length;
  }

  end(): void {
    if (this.hasEnded) return;
    throw new Error(`script: expected a reply of ${this.#at} numbers, got ${this.#reply.length}`);
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
