import { Report } from "../../../core/report.ts";
import type { LeaseGrant } from "../script/lease.ts";
import type { KeyCall } from "./key-call.ts";

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

/** Decides one take without the server, or throws the error that its caller gets. */
export type DecideWithout = (error: unknown, call: KeyCall, nowUs: number) => boolean;
/** The same for a caller that needs the figures. */
export type ReportWithout = (error: unknown) => Report;

/** The caller of `allow`, which needs yes or no. It is small, because a flood creates many. */
export class AnswerWaiter implements Waiter {
  readonly wantsReport = false;
  readonly #resolve: (admitted: boolean | Promise<boolean>) => void;
  readonly #call: KeyCall;
  readonly #nowUs: number;
  readonly #decideWithout: DecideWithout;

  /** `resolve` resolves the caller's promise. */
  constructor(
    resolve: (admitted: boolean | Promise<boolean>) => void,
    call: KeyCall,
    nowUs: number,
    decideWithout: DecideWithout,
  ) {
    this.#resolve = resolve;
    this.#call = call;
    this.#nowUs = nowUs;
    this.#decideWithout = decideWithout;
  }

  decided(admitted: boolean): void {
    this.#resolve(admitted);
  }

  failed(error: unknown): void {
    this.#resolve(this.#decide(error));
  }

  async #decide(error: unknown): Promise<boolean> {
    return this.#decideWithout(error, this.#call, this.#nowUs);
  }
}

/** A caller that needs the figures. Its promise rejects if there is no `reportWithout`. */
export class ReportWaiter implements Waiter {
  readonly wantsReport = true;
  readonly report: Promise<Report>;
  readonly #reportWithout: ReportWithout | undefined;
  #resolve: (report: Report | Promise<Report>) => void = () => {};

  constructor(reportWithout?: ReportWithout) {
    this.#reportWithout = reportWithout;
    this.report = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  decided(admitted: boolean, report: Report | undefined): void {
    this.#resolve(report ?? withoutEntries(admitted));
  }

  failed(error: unknown): void {
    this.#resolve(this.#decide(error));
  }

  async #decide(error: unknown): Promise<Report> {
    if (this.#reportWithout === undefined) throw error;
    return this.#reportWithout(error);
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
