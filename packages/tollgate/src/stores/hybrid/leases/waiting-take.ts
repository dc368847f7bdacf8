import type { Report } from "../../../core/report.ts";
import type { KeyReports } from "./key-reports.ts";

/** A call that waits for the server's answer. */
export interface WaitingCall {
  readonly costs: readonly number[];
  /** The limiter's time. */
  readonly nowUs: number;
  /** `later` calls of the same cost were admitted after it by the same answer. */
  admitted(later: number): void;
  denied(report: Report): void;
  failed(error: unknown): void;
}

/** Removes the first calls that cost the same. */
export function takeRun(calls: WaitingCall[]): readonly WaitingCall[] {
  const other = calls.findIndex(({ costs }) => costs.some((cost, i) => cost !== calls[0]!.costs[i]));
  return calls.splice(0, other < 0 ? calls.length : other);
}

/** Decides without the server, or throws the error. */
type DecideWithout = (error: unknown) => Report;

/** A take of a caller. */
export class WaitingTake implements WaitingCall {
  readonly costs: readonly number[];
  readonly nowUs: number;
  readonly report: Promise<Report>;
  readonly #reports: KeyReports;
  readonly #decideWithout: DecideWithout;
  #resolve: (report: Report | Promise<Report>) => void = () => {};

  constructor(reports: KeyReports, costs: readonly number[], nowUs: number, decideWithout: DecideWithout) {
    this.costs = costs;
    this.nowUs = nowUs;
    this.#reports = reports;
    this.#decideWithout = decideWithout;
    this.report = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  admitted(later: number): void {
    this.#resolve(this.#reports.admitted(this.costs, later));
  }

  denied(report: Report): void {
    this.#resolve(report);
  }

  failed(error: unknown): void {
    this.#resolve(this.#decide(error));
  }

  async #decide(error: unknown): Promise<Report> {
    return this.#decideWithout(error);
  }
}
