import type { Report } from "../../../core/report.ts";
import { answer, answerWithout, type Waiter } from "../../redis/batch/waiter.ts";
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
  readonly #waiter: Waiter;

  constructor(reports: KeyReports, costs: readonly number[], nowUs: number, waiter: Waiter) {
    this.costs = costs;
    this.nowUs = nowUs;
    this.#reports = reports;
    this.#waiter = waiter;
  }

  admitted(decidedUs: number | undefined, later?: number): void {
    answer(this.#waiter, true, this.#reports.admitted(this.costs, decidedUs, later));
  }

  denied(report: Report): void {
    answer(this.#waiter, false, report);
  }

  failed(error: unknown): void {
    answerWithout(this.#waiter, error);
  }
}
