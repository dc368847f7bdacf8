import { Report } from "../../../core/report.ts";
import type { ScriptTransaction } from "./encode-call.ts";
import { REFUSALS } from "./refusals.ts";

const NEVER = -1;

/** What became of a transaction. */
export interface TransactionOutcome {
  /** How many of its calls were admitted, the first ones; of `drop` 1 when the key was removed; of `refund` all. */
  readonly admitted: number;
  /**
   * What `detail` says of the calls, one after another: those after the last report have the same figures as that. None for `refund`
   * and `drop`.
   */
  readonly reports: readonly Report[];
  /**
   * Set where the server refused to write what this transaction would have changed: the error's code, such as `"OOM"`. Then nothing was
   * written, and `admitted` and `reports` say nothing.
   */
  readonly refused?: string;
  /** The moment of the decision in whole microseconds, where the transaction `tellsTime`. */
  readonly decidedUs?: number;
}

/**
 * Reads what the script answered to these transactions, an outcome for each; `undefined` where its fence was void, so that it did
 * nothing. An answer is a number below 0, a refusal, or how many were admitted, the moment if it is told, and the reports. Of each limit
 * these have whether it conforms, the units in use, the wait, the units in use after it, and the time until it is as good as new.
 *
 * @throws Error when that is no answer to them.
 */
export function decodeReply(
  reply: readonly number[],
  transactions: readonly ScriptTransaction[],
): TransactionOutcome[] | undefined {
  if (reply.length === 0 && transactions.length > 0) return undefined;
  const numbers = new ReplyReader(reply);
  const outcomes = transactions.map((transaction) => readOutcome(numbers, transaction));
  numbers.end();
  return outcomes;
}

function readOutcome(numbers: ReplyReader, transaction: ScriptTransaction): TransactionOutcome {
  const admitted = numbers.entry();
  if (admitted < 0) return { admitted: 0, reports: [], refused: refusalOf(admitted) };
  if (transaction.tellsTime !== true) return { admitted, reports: readReports(numbers, transaction, admitted) };
  const decidedUs = numbers.entry();
  return { admitted, decidedUs, reports: readReports(numbers, transaction, admitted) };
}

function refusalOf(number: number): string {
  const [code] = REFUSALS[-1 - number] ?? [];
  if (code === undefined) throw new Error(`script: expected a refusal that is known, got ${number}`);
  return code;
}

function readReports(numbers: ReplyReader, transaction: ScriptTransaction, admitted: number): Report[] {
  let limits = 0;
  for (const { plan } of transaction.keys) limits += plan.plan.limits.length;
  const count = countReports(transaction, admitted);
  const reports: Report[] = [];
  // Where only the first that was denied is told of, it is the only one.
  const told = transaction.detail === "each" ? admitted : 0;
  for (let i = 0; i < count; i += 1) reports.push(readReport(numbers, i < told, limits));
  return reports;
}

function countReports({ verb, times, detail }: ScriptTransaction, admitted: number): number {
  if (verb === "refund" || verb === "drop") return 0;
  const denied = admitted < times ? 1 : 0;
  if (detail === "first-denied") return denied;
  if (verb === "take") return admitted + denied;
  return verb === "charge" ? times : 1;
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

  /** Below 0 is what has no place among the exact integers: -1 is never, -1 - n a number that was halved n times. */
  next(): number {
    const number = this.entry();
    if (number >= 0) return number;
    return number === NEVER ? Number.POSITIVE_INFINITY : this.entry() * 2 ** (NEVER - number);
  }

  end(): void {
    if (this.#at === this.#reply.length) return;
    throw new Error(`script: expected a reply of ${this.#at} numbers, got ${this.#reply.length}`);
  }

  /** The next number as it is. */
  entry(): number {
    const number = this.#reply[this.#at];
    if (number === undefined) throw new Error(`script: expected a reply of more than ${this.#at} numbers`);
    this.#at += 1;
    return number;
  }
}
