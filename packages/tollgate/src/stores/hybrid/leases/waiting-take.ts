import type { Report } from "../../../core/report.ts";
import type { Caller } from "../../redis/batch/waiter.ts";
import type { KeyReports } from "./key-reports.ts";

/** A call that waits for the server's answer. */
export interface WaitingCall {
  readonly costs: readonly number[];
  /** The limiter's time. */
  readonly nowUs: number;
  /** The script took its units at `decidedUs`. `later` calls of the same cost were admitted after it, too. */
  admitted(decidedUs: number | undefined, later?: number): void;
  denied(report: Report): void;
  failed(error: unknown): void;
}

/** Removes the first calls that cost the same. */
export function takeRun(calls: WaitingCall[]): readonly WaitingCall[] {
  const other = calls.findIndex(({ costs }) => costs.some((cost, i) => cost !== calls[0]!.costs[i]));
  return calls.splice(0, other < 0 ? calls.length : other);
}

/** A take of a caller. */
export class WaitingTake implements WaitingCall {
  readonly costs: readonly number[];
  readonly nowUs: number;
  readonly #reports: KeyReports;
  readonly #caller: Caller<Report>;

  constructor(reports: KeyReports, costs: readonly number[], nowUs: number, caller: Caller<Report>) {
    this.costs = costs;
    this.nowUs = nowUs;
    this.#reports = reports;
    this.#caller = caller;
  }

  admitted(decidedUs: number | undefined, later?: number): void {
    this.#caller.decided(true, this.#reports.admitted(this.costs, decidedUs, later));
  }

  denied(report: Report): void {
    this.#caller.decided(false, report);
  }

  failed(error: unknown): void {
    this.#caller.failed(error);
  }
}
