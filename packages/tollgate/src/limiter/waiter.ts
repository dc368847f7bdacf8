import type { Clock } from "../core/clock.ts";
import type { Cost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import type { Report } from "../core/report.ts";
import type { Call } from "../core/store.ts";
import type { CheckedRequest } from "./call.ts";
import type { Choice } from "./choice.ts";
import type { Forecast } from "./forecast.ts";
import { rejected } from "./promised.ts";
import type { PlannedSpace } from "./space-list.ts";
import type { WaitSignal } from "./wait-options.ts";

/** Why a call does not wait. */
export type LineReason = "others-waiting" | "queue-full";

/** What a store elsewhere reported of a call, and when. */
export interface Told<Space> {
  readonly calls: readonly Call<Space>[];
  readonly report: Report;
  readonly atUs: number;
}

/** A line, as calls and limiters use it. */
export interface KeyLine<Space extends PlannedSpace> {
  readonly key: string;
  readonly length: number;
  readonly head: Waiter<Space> | undefined;
  /** What a store elsewhere reported last of the head. */
  told: Told<Space> | undefined;
  /** Adds a call, behind those that came before it. */
  join(waiter: Waiter<Space>): void;
  /** Removes a call whose wait has ended before its turn, or that goes to another line. */
  leave(waiter: Waiter<Space>): void;
  /** Sets when the head is due, which was denied just now. */
  setDue(dueUs: number): void;
  /** Asks for the head, and for the next ones while they are served. */
  serve(): void;
  /** When all that wait are served if nothing else arrives. Calls that would come after their deadline are denied. */
  forecast(server: Server<Space>, nowUs: number): Forecast<Space>;
  /** How much later the head is due than its forecast said: timers come late, and other limiters take, too. */
  readonly lateUs: number;
  /** The store has decided on a call that was the head. */
  answered(waiter: Waiter<Space>, decision: Decision): void;
  /** The store could not be asked. */
  failed(waiter: Waiter<Space>, error: unknown): void;
}

/** The lines of a limiter, as one of them uses them. */
export interface KeyLines<Space extends PlannedSpace> {
  readonly limiter: string;
  readonly clock: Clock;
  readonly isClosed: boolean;
  find(key: string): KeyLine<Space> | undefined;
  /** The line of a key, in which a call may wait. */
  open(key: string): KeyLine<Space>;
  /** Whether a line has a call more than may wait. */
  isOverfull(line: KeyLine<Space>): boolean;
  /** Notes that so many calls more wait, or fewer. */
  count(change: number): void;
  /** Forgets a line in which no call waits. */
  remove(line: KeyLine<Space>): void;
  closedError(): Error;
}

/** What a line needs of the limiter that a call waits for: a limiter of its own, or a combination with it. */
export interface Server<Space extends PlannedSpace> {
  /** Those of each limiter, one for each key of a call. */
  readonly lines: readonly KeyLines<Space>[];
  /** Asks the store for a call at the head of a line, which hears `answered` or `failed`, at once or later. */
  ask(waiter: Waiter<Space>, line: KeyLine<Space>): void;
  /** How long to wait beyond the time that a denial tells, if the call was denied so many times in a row. */
  jitterUs(waitUs: number, denials: number): number;
  /** When a call will be served by a forecast, which then counts it, unless that is after its deadline. */
  foresee(forecast: Forecast<Space>, waiter: Waiter<Space>, notBeforeUs: number): number;
  /** A forecast for a line in which no call waits. */
  createForecast(line: KeyLine<Space>, nowUs: number): Forecast<Space>;
  /** The denial of a call that may not wait at the end of a line. */
  denyBehind(line: KeyLine<Space>, call: WaitingCall<Space>, reason: LineReason): Decision;
  /** Gives back what a call took whose signal has aborted meanwhile. */
  giveBack(call: WaitingCall<Space>, decision: Decision): void;
  /** Tells observers of the decision that ends a wait. */
  notify(call: WaitingCall<Space>, decision: Decision): void;
}

/** What is waited for. Calls of a line that are alike share it. */
export interface WaitingCall<Space extends PlannedSpace> {
  readonly server: Server<Space>;
  /** Keys and limits, chosen when the first of these calls came. */
  readonly choice: Choice<Space>;
  readonly cost: Cost;
  /** Whether it waits for a place: that may be freed at any moment, long before it expires. */
  readonly takesPlaces: boolean;
  /** The checked request, if its spaces stay open. */
  request: CheckedRequest<Space> | undefined;
}

const NEVER = Number.POSITIVE_INFINITY;

/** A call that waits in a line. */
export class Waiter<Space extends PlannedSpace> {
  next: Waiter<Space> | undefined = undefined;
  previous: Waiter<Space> | undefined = undefined;
  /** Where it waits. `undefined` when its wait is over. */
  line: KeyLine<Space> | undefined = undefined;
  readonly call: WaitingCall<Space>;
  /** Later calls have greater numbers, in all lines in which both may stand. */
  readonly order: number;
  /** `undefined` without one: then the field holds no number, for which the engine would allocate memory. */
  readonly #deadlineUs: number | undefined;
  /** Whether it counts among those that may wait. A call that is asked for at once need not wait. */
  isInLine: boolean;
  /** When it is served by its line's forecast, if there is one. */
  foreseenUs = 0;
  readonly #signal: WaitSignal | undefined;
  /** Bound, because a closure takes twice the memory, and Node makes a closure for each listener that is an object. */
  #abort: (() => void) | undefined = undefined;
  #resolve: ((decision: Decision | Promise<never>) => void) | undefined = undefined;

  constructor(
    call: WaitingCall<Space>,
    order: number,
    deadlineUs: number | undefined,
    isInLine: boolean,
    signal: WaitSignal | undefined,
  ) {
    this.call = call;
    this.order = order;
    this.#deadlineUs = deadlineUs;
    this.isInLine = isInLine;
    this.#signal = signal;
  }

  get deadlineUs(): number {
    return this.#deadlineUs ?? NEVER;
  }

  /** Resolves with the decision. */
  begin(): Promise<Decision> {
    if (this.#signal !== undefined) {
      this.#abort = this.#aborted.bind(this);
      this.#signal.addEventListener("abort", this.#abort);
    }
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  settle(decision: Decision): void {
    this.#end();
    this.call.server.notify(this.call, decision);
    this.#resolve?.(decision);
  }

  fail(reason: unknown): void {
    this.#end();
    // A function to reject with would take 64 bytes of each call that waits.
    this.#resolve?.(rejected(reason));
  }

  #aborted(): void {
    const { line } = this;
    line?.leave(this);
    this.fail(this.#signal?.reason);
    line?.serve();
  }

  #end(): void {
    if (this.#abort !== undefined) this.#signal?.removeEventListener("abort", this.#abort);
  }
}
