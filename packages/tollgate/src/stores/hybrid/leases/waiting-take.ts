import type { Report } from "../../../core/report.ts";
import type { KeyReports } from "./key-reports.ts";
import type { WaitingCall } from "./waiting-calls.ts";

/** Decides without the server, or throws the error. */
type DecideWithout = (error: unknown) => Report;

/** A call that waits for the server. */
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
