import { Report } from "../../../core/report.ts";
import { REJECTED_WRITES } from "./lua/rejected-writes.ts";
import { reportCount } from "./script-verbs.ts";
import type { ScriptTransaction } from "./transaction.ts";

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
}

/**
 * Decodes the script's reply, an outcome per transaction; `undefined` where the call was cancelled and did nothing. Per
 * transaction the reply has a negative number (a rejected write), or the number of admitted calls, the moment if
 * requested, and the reports. A report has per limit: whether it conforms, the units in use, the wait, the units in use
 * after the wait, and the time until it is idle. Two numbers answer a lone take with figures (`lua/lone-calls.ts`).
 *
 * @throws Error when the reply does not fit the transactions.
 */
export function decodeReply(
  reply: readonly number[],
  transactions: readonly ScriptTransaction[],
): readonly TransactionOutcome[] | undefined {
  if (transactions.length === 1) {
    if (reply.length === 1 && reply[0] === 1 && isUnreported(transactions[0]!)) return ADMITTED;
    if (reply.length === 2 && transactions[0]!.reportsTime !== true) return [admittedWith(reply[0]!, reply[1]!)];
  }
  if (reply.length === 0 && transactions.length > 0) return undefined;
  const numbers = new ReplyReader(reply);
  const outcomes = transactions.map((transaction) => readOutcome(numbers, transaction));
  numbers.end();
  return outcomes;
}

/** Whether the reply has no report if its only call is admitted. */
function isUnreported({ detail, times, reportsTime }: ScriptTransaction): boolean {
  return detail === "first-denied" && times === 1 && reportsTime !== true;
}

/** The outcome of a take from one limit, where the same cost conforms again at once. */
function admittedWith(used: number, resetUs: number): TransactionOutcome {
  const report = new Report();
  report.conforms[0] = true;
  report.used[0] = used;
  report.waitUs[0] = 0;
  report.usedAfterWait[0] = used;
  report.resetUs[0] = resetUs;
  return { admitted: 1, reports: [report] };
}

function readOutcome(numbers: ReplyReader, transaction: ScriptTransaction): TransactionOutcome {
  const admitted = numbers.entry();
  if (admitted < 0) return { admitted: 0, reports: [], rejected: rejectionOf(admitted) };
  if (transaction.reportsTime !== true) return { admitted, reports: readReports(numbers, transaction, admitted) };
  const decidedUs = numbers.entry();
  return { admitted, decidedUs, reports: readReports(numbers, transaction, admitted) };
}

function rejectionOf(number: number): string {
  const [code] = REJECTED_WRITES[-1 - number] ?? [];
  if (code === undefined) throw new Error(`script: expected the number of a known rejection, got ${number}`);
  return code;
}

function readReports(numbers: ReplyReader, transaction: ScriptTransaction, admitted: number): Report[] {
  let limits = 0;
  for (const { plan } of transaction.keys) limits += plan.plan.limits.length;
  const count = reportCount(transaction, admitted);
  const reports: Report[] = [];
  // Otherwise the only report is that of the first denied call.
  const admittedReports = transaction.detail === "each" ? admitted : 0;
  for (let i = 0; i < count; i += 1) reports.push(readReport(numbers, i < admittedReports, limits));
  return reports;
}

function readReport(numbers: ReplyReader, admitted: boolean, limits: number): Report {
  const report = new Report();
  report.admitted = admitted;
  for (let i = 0; i < limits; i += 1) {
    report.conforms[i] = numbers.next() === 1;
    report.used[i] = numbers.next();
    report.waitUs[i] = numbers.next();
    report.usedAfterWait[i] = numbers.next();
    report.resetUs[i] = numbers.next();
  }
  return report;
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

  end(): void {
    if (this.#at === this.#reply.length) return;
    throw new Error(`script: expected a reply of ${this.#at} numbers, got ${this.#reply.length}`);
  }

  /** The next entry, as it was sent. */
  entry(): number {
    const number = this.#reply[this.#at];
    if (number === undefined) throw new Error(`script: expected a reply of more than ${this.#at} numbers`);
    this.#at += 1;
    return number;
  }
}
