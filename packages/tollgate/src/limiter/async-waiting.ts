import { readTime } from "../core/clock.ts";
import type { Cost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import { Report } from "../core/report.ts";
import type { AsyncSpace } from "../core/store.ts";
import type { TimeCell } from "../core/time-cell.ts";
import type { Verb } from "../core/verbs.ts";
import type { CheckedRequest } from "./call.ts";
import type { Choice } from "./choice.ts";
import { decide } from "./decide.ts";
import { limitsOf, plansOf } from "./entries.ts";
import { Forecast } from "./forecast.ts";
import { heldBy, tellBehind } from "./line-guard.ts";
import { noteDecided } from "./places.ts";
import type { KeyLine, LineReason, Waiter, WaitingCall } from "./waiter.ts";
import { Waiting, type WaitingParts } from "./waiting.ts";

/** Processes whose heads are told the same time ask apart, by up to this part of the wait. */
const JITTER_PART = 0.1;
const MOST_JITTER_US = 100_000;

/** How a limiter asks its store. */
export interface Asking {
  readonly transact: (verb: Verb, request: CheckedRequest<AsyncSpace>, now: TimeCell) => Promise<Report>;
  readonly giveBack: (choice: Choice<AsyncSpace>, cost: Cost, decision: Decision) => Promise<void>;
}

/** Waiting over a store elsewhere: one call of each key and process asks at a time. */
export class AsyncWaiting extends Waiting<AsyncSpace> {
  readonly #asking: Asking;

  constructor(parts: WaitingParts<AsyncSpace>, asking: Asking) {
    super(parts);
    this.#asking = asking;
  }

  /** Whether a call waits for some key. */
  get someWait(): boolean {
    for (let i = 0; i < this.lines.length; i += 1) if (this.lines[i]!.some) return true;
    return false;
  }

  override ask(waiter: Waiter<AsyncSpace>, line: KeyLine<AsyncSpace>): void {
    this.#decide(line, waiter).then(
      (decision) => line.answered(waiter, decision),
      (error: unknown) => line.failed(waiter, error),
    );
  }

  /** A random time in the upper half of a part that shrinks with each denial: heads that were denied more ask first. */
  override jitterUs(waitUs: number, denials: number): number {
    const longestUs = Math.min(waitUs * JITTER_PART, MOST_JITTER_US) / denials;
    return Math.round((longestUs * (1 + Math.random())) / 2);
  }

  override createForecast({ told }: KeyLine<AsyncSpace>, nowUs: number): Forecast<AsyncSpace> {
    const forecast = new Forecast<AsyncSpace>(told?.atUs ?? nowUs, () => false);
    if (told !== undefined) forecast.note(told.calls, told.report);
    return forecast;
  }

  override denyBehind(line: KeyLine<AsyncSpace>, call: WaitingCall<AsyncSpace>, reason: LineReason): Decision {
    const request = this.request(call);
    return this.#decisionOn(request, this.#tellBehind([line], request, readTime(this.clock), reason));
  }

  override giveBack({ choice, cost }: WaitingCall<AsyncSpace>, decision: Decision): void {
    // If the store is unavailable now, its units come back with time.
    this.#asking.giveBack(choice, cost, decision).catch(() => {});
  }

  /** The report on a call that may not overtake those that wait; `undefined` if it may. */
  denied(request: CheckedRequest<AsyncSpace>, now: TimeCell): Report | undefined {
    const { keys, calls } = request;
    if (!(this.someWait && calls.some(({ costs }) => costs.some((cost) => cost > 0)))) return undefined;
    const holding = heldBy(this.lines, keys, now[0]!);
    return holding.length === 0 ? undefined : this.#tellBehind(holding, request, now, "others-waiting");
  }

  /** Lets the calls that wait for these keys, one for each limiter, know that they may be served earlier. */
  changed(keys: readonly string[]): void {
    for (const [i, lines] of this.lines.entries()) lines.find(keys[i]!)?.changed();
  }

  #tellBehind(
    lines: readonly KeyLine<AsyncSpace>[],
    { calls }: CheckedRequest<AsyncSpace>,
    now: TimeCell,
    reason: LineReason,
  ): Report {
    const report = new Report();
    for (const line of lines) tellBehind(line, this, calls, now[0]!, reason, report);
    return report;
  }

  async #decide(line: KeyLine<AsyncSpace>, { call }: Waiter<AsyncSpace>): Promise<Decision> {
    const request = this.request(call);
    const report = await this.#take(request);
    if (!report.admitted && report.hasEntries) {
      line.told = { calls: request.calls, report, atUs: readTime(this.clock)[0]! };
    }
    return this.#decisionOn(request, report);
  }

  /** A call that waits is no offence: a denial must not begin a block. */
  async #take(request: CheckedRequest<AsyncSpace>): Promise<Report> {
    const { transact } = this.#asking;
    const { calls } = request;
    if (calls.some(({ space: { plan } }) => plan.limits.some(({ blockFor }) => blockFor !== undefined))) {
      // What begins empty begins to fill with its first call.
      const touches = calls.map((call) => ({ ...call, costs: call.costs.map(() => 0) }));
      await transact("take", { ...request, calls: touches }, readTime(this.clock));
      const report = await transact("peek", request, readTime(this.clock));
      if (!report.admitted) return report;
    }
    return transact("take", request, readTime(this.clock));
  }

  #decisionOn({ calls }: CheckedRequest<AsyncSpace>, report: Report): Decision {
    const plans = plansOf(calls);
    const decision = decide(this.name, plans, limitsOf(plans, report), report);
    if (report.decidedUs !== undefined) noteDecided(decision, report.decidedUs);
    return decision;
  }
}
