import { Report } from "../../../core/report.ts";
import type { LeaseGrant } from "../script/lease.ts";

/** A caller that waits for its answer. */
export interface Waiter {
  /** Whether it needs the figures of the decision, not only yes or no. */
  readonly wantsReport: boolean;
  /** Identical calls share `report`: read it only. */
  decided(admitted: boolean, report: Report | undefined): void;
  /** The answer to a `lease`: how many of its calls were admitted, the figures after it, and the new lease. */
  granted?(admitted: number, report: Report, grant: LeaseGrant): void;
  failed(error: unknown): void;
}

/** What a caller gets of a decision. */
export interface AnswerForm<Answer> {
  readonly wantsReport: boolean;
  read(admitted: boolean, report: Report | undefined): Answer;
}

/** For `allow`: yes or no. */
export const ADMITTED: AnswerForm<boolean> = { wantsReport: false, read: (admitted) => admitted };

/** All figures. */
export const REPORT: AnswerForm<Report> = {
  wantsReport: true,
  read: (admitted, report) => report ?? withoutEntries(admitted),
};

/** Decides without the server, or throws the error that the caller gets. */
export type DecideWithout = (error: unknown) => Report;

/** The caller of a verb. It is small, because a flood creates many. */
export class Caller<Answer> implements Waiter {
  readonly #form: AnswerForm<Answer>;
  readonly #resolve: (answer: Answer | Promise<Answer>) => void;
  readonly #decideWithout: DecideWithout;

  /** `resolve` resolves the caller's promise. */
  constructor(
    form: AnswerForm<Answer>,
    resolve: (answer: Answer | Promise<Answer>) => void,
    decideWithout: DecideWithout,
  ) {
    this.#form = form;
    this.#resolve = resolve;
    this.#decideWithout = decideWithout;
  }

  get wantsReport(): boolean {
    return this.#form.wantsReport;
  }

  decided(admitted: boolean, report: Report | undefined): void {
    this.#resolve(this.#form.read(admitted, report));
  }

  failed(error: unknown): void {
    this.#resolve(this.#decide(error));
  }

  async #decide(error: unknown): Promise<Answer> {
    const report = this.#decideWithout(error);
    return this.#form.read(report.admitted, report);
  }
}

/** The report of a verb without figures. */
function withoutEntries(admitted: boolean): Report {
  const report = new Report();
  report.admitted = admitted;
  return report;
}

type Granted = (admitted: number, report: Report, grant: LeaseGrant) => void;

/**
 * The node that asked for a lease. It is answered at once, before the callers of later calls resume: they may ask what
 * it holds.
 */
export class LeaseWaiter implements Waiter {
  readonly wantsReport = true;
  readonly granted: Granted;
  readonly failed: (error: unknown) => void;

  constructor(granted: Granted, failed: (error: unknown) => void) {
    this.granted = granted;
    this.failed = failed;
  }

  decided(): void {}
}
