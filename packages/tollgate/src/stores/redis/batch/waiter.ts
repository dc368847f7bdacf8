import { Report } from "../../../core/report.ts";
import type { KeyCall } from "./key-call.ts";

/** What the server answered to a call. */
export interface Answer {
  readonly report: Report;
  /** The moment of the decision, where it was asked for. */
  readonly decidedUs: number | undefined;
}

/** One caller that waits for its answer. */
export interface Waiter {
  /** Whether the figures of the decision are wanted, not the answer alone. */
  readonly wantsReport: boolean;
  /** `report` is shared by calls that were answered alike: read it only. `decidedUs`: the server's time, where it was asked for. */
  decided(admitted: boolean, report: Report | undefined, decidedUs: number | undefined): void;
  failed(error: unknown): void;
}

/** Decides one take without the server, or throws the error that its caller has to get. */
export type DecideWithout = (error: unknown, call: KeyCall, nowUs: number) => boolean;
/** The same for a caller that wants the figures. */
export type ReportWithout = (error: unknown) => Report;

/** The caller of `allow`: it wants yes or no. It is small, because of a flood there are many. */
export class AnswerWaiter implements Waiter {
  readonly wantsReport = false;
  readonly #resolve: (admitted: boolean | Promise<boolean>) => void;
  readonly #call: KeyCall;
  readonly #nowUs: number;
  readonly #decideWithout: DecideWithout;

  /** `resolve` is that of the caller's promise. */
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

/** A caller that wants the figures. Where nothing decides without the server, its promise rejects. */
export class ReportWaiter implements Waiter {
  readonly wantsReport = true;
  readonly report: Promise<Report>;
  /** The moment of the decision, where it was asked for. */
  decidedUs: number | undefined;
  readonly #reportWithout: ReportWithout | undefined;
  #resolve: (report: Report) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor(reportWithout?: ReportWithout) {
    this.#reportWithout = reportWithout;
    this.report = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  decided(admitted: boolean, report: Report | undefined, decidedUs: number | undefined): void {
    this.decidedUs = decidedUs;
    this.#resolve(report ?? withoutEntries(admitted));
  }

  failed(error: unknown): void {
    if (this.#reportWithout === undefined) {
      this.#reject(error);
      return;
    }
    try {
      this.#resolve(this.#reportWithout(error));
    } catch (thrown) {
      this.#reject(thrown);
    }
  }
}

/** Of verbs that tell no figures. */
function withoutEntries(admitted: boolean): Report {
  const report = new Report();
  report.admitted = admitted;
  return report;
}
