import type { Report } from "../../core/report.ts";
import type { LeasedKey } from "./leases/leased-key.ts";
import type { WaitingCall } from "./leases/waiting-calls.ts";

/** Decides without the server, or throws the error. */
export type DecideWithout = (error: unknown) => Report;

/** A call of `allow` that waits for the server. */
export class WaitingAllow implements WaitingCall {
  readonly costs: readonly number[];
  readonly nowUs: number;
  readonly #resolve: (admitted: boolean | Promise<boolean>) => void;
  readonly #decideWithout: DecideWithout;

  constructor(
    costs: readonly number[],
    nowUs: number,
    resolve: (admitted: boolean | Promise<boolean>) => void,
    decideWithout: DecideWithout,
  ) {
    this.costs = costs;
    this.nowUs = nowUs;
    this.#resolve = resolve;
    this.#decideWithout = decideWithout;
  }

  admitted(): void {
    this.#resolve(true);
  }

  denied(): void {
    this.#resolve(false);
  }

  failed(error: unknown): void {
    this.#resolve(this.#decide(error));
  }

  async #decide(error: unknown): Promise<boolean> {
    return this.#decideWithout(error).admitted;
  }
}

/** A call that waits for the server and needs the figures. */
export class WaitingTake implements WaitingCall {
  readonly costs: readonly number[];
  readonly nowUs: number;
  readonly report: Promise<Report>;
  readonly #key: LeasedKey;
  readonly #decideWithout: DecideWithout;
  #resolve: (report: Report | Promise<Report>) => void = () => {};

  constructor(key: LeasedKey, costs: readonly number[], nowUs: number, decideWithout: DecideWithout) {
    this.costs = costs;
    this.nowUs = nowUs;
    this.#key = key;
    this.#decideWithout = decideWithout;
    this.report = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  admitted(later: number): void {
    this.#resolve(this.#key.reports.admitted(this.costs, later));
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
