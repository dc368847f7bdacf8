import { Report } from "../../../core/report.ts";
import type { ScriptTransaction } from "./encode-call.ts";

const NEVER = -1;

/** What became of a transaction. */
export interface TransactionOutcome {
  /** How many of its calls were admitted; of `drop` 1 when the key was removed. */
  readonly admitted: number;
  /**
   * With `detail: "each"` a report for each call; with `"first-denied"` the report of the first call that was denied, if any. None
   * for `refund` and `drop`.
   */
  readonly reports: readonly Report[];
}

/**
 * Reads what the script answered to these transactions, an outcome for each; `undefined` where its fence was void, so that it did
 * nothing. The answer to a call begins with whether it was admitted, that to several with how many were. Of each limit there follow
 * whether it conforms, the units in use, the wait, the units in use after it, and the time until it is as good as new.
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

function readOutcome(numbers: ReplyReader, { verb, times, detail, keys }: ScriptTransaction): TransactionOutcome {
  if (verb === "refund" || verb === "drop") return { admitted: numbers.next(), reports: [] };
  let limits = 0;
  for (const { plan } of keys) limits += plan.plan.limits.length;
  if (detail === "first-denied") {
    const admitted = numbers.next();
    return { admitted, reports: admitted < times ? [readReport(numbers, false, limits)] : [] };
  }
  const reports: Report[] = [];
  for (let i = 0; i < times; i += 1) reports.push(readReport(numbers, numbers.next() === 1, limits));
  return { admitted: reports.filter((report) => report.admitted).length, reports };
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
    const number = this.#entry();
    if (number >= 0) return number;
    return number === NEVER ? Number.POSITIVE_INFINITY : this.#entry() * 2 ** (NEVER - number);
  }

  end(): void {
    if (this.#at === this.#reply.length) return;
    throw new Error(`script: expected a reply of ${this.#at} numbers, got ${this.#reply.length}`);
  }

  #entry(): number {
    const number = this.#reply[this.#at];
    if (number === undefined) throw new Error(`script: expected a reply of more than ${this.#at} numbers`);
    this.#at += 1;
    return number;
  }
}
