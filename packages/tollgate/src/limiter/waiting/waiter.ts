import type { Clock } from "../../core/clock.ts";
import type { Decision } from "../../core/decision.ts";
import { countsPlaces } from "../../core/limits/places.ts";
import { rejected } from "../../core/maybe-async.ts";
import type { Report } from "../../core/report.ts";
import type { SpaceCall } from "../choosing/space.ts";
import { onAbort } from "./abort-listeners.ts";
import type { Forecast } from "./forecast.ts";
import type { WaitSignal } from "./wait-options.ts";

/** Why a call does not wait. */
export type LineReason = "others-waiting" | "queue-full";

/** How a wait ends: with a decision, or with an error, which is a rejected promise. */
export type WaitEnd = Decision | Promise<never>;

/** What a store said of a call that waits, and which key binds it if it was denied. */
export interface Answer {
  readonly decision: Decision;
  readonly bindingKey: number;
}

/** What a store elsewhere reported of a call, and when. */
export interface Told {
  readonly calls: readonly SpaceCall[];
  readonly report: Report;
  readonly atUs: number;
}

/** A line, as calls and limiters use it. */
export interface KeyLine {
  readonly key: string;
  readonly length: number;
  readonly head: Waiter | undefined;
  /** When the head is to be asked for; `undefined` while it is. */
  readonly dueUs: number | undefined;
  /** What a store elsewhere reported last of the head. */
  told: Told | undefined;
  /** Adds a call, behind those that came before it. */
  join(waiter: Waiter): void;
  /** Removes a call whose wait has ended before its turn, or that goes to another line. */
  leave(waiter: Waiter): void;
  /** Sets when the head is due, which was denied just now. */
  setDue(dueUs: number): void;
  /** The head is due, or a deadline has come. */
  wake(): void;
  /** Asks for the head, and for the next ones while they are served. */
  serve(): void;
  /** When all that wait are served if nothing else arrives. Calls that would come after their deadline are denied. */
  forecast(asker: Forecaster, nowUs: number): Forecast;
  /** How much later the head is due than its forecast said: timers come late, and other limiters take, too. */
  readonly lateUs: number;
  /** The store has decided on a call that was the head. */
  answered(waiter: Waiter, answer: Answer): void;
  /** The store could not be asked. */
  failed(waiter: Waiter, error: unknown): void;
}

/** What forecasts a line: an asker, which may look at keys. */
export interface Forecaster {
  look(call: SpaceCall, now: Float64Array, report: Report): boolean;
  /** How long to wait beyond the time that a denial tells, if the call was denied so many times in a row. */
  jitterUs(waitUs: number, denials: number): number;
}

/** The lines of a limiter, as one of them uses them. */
export interface KeyLines {
  readonly clock: Clock;
  readonly isClosed: boolean;
  find(key: string): KeyLine | undefined;
  /** The line of a key, in which a call may wait. */
  open(key: string): KeyLine;
  /** Whether a line has a call more than may wait. */
  isOverfull(line: KeyLine): boolean;
  /** Notes that so many calls more wait, or fewer. */
  count(change: number): void;
  /** Forgets a line in which no call waits. */
  remove(line: KeyLine): void;
  closedError(): Error;
}

/** What is waited for, as a line sees it. Calls of a line that are alike share it. */
export interface WaitingCall {
  readonly keys: readonly string[];
  /** Those of each key's limiter. */
  readonly lines: readonly KeyLines[];
  /** What is to be taken of each key. */
  readonly calls: readonly SpaceCall[];
  readonly takesPlaces: boolean;
  readonly asker: Forecaster;
  /** Asks the store, when the call is at the head of a line, which is told `answered` or `failed`, at once or later. */
  ask(waiter: Waiter, line: KeyLine): void;
  /** The denial of the call, which may not wait at the end of a line. */
  denyBehind(line: KeyLine, reason: LineReason): Decision;
  /** Gives back what the call took, because its signal has aborted meanwhile. */
  giveBack(decision: Decision): void;
  /** Tells watchers of the decision that ends the wait. */
  ended(decision: Decision): void;
}

/** The timers of a waiting call's own request. */
export interface WaiterPulse {
  /** Whether the call is the head, and its own request has not come to ask. */
  readonly isDue: boolean;
  /** Asks a store elsewhere with the next timer: the answer would be lost with another request. */
  askLater(ask: () => void): void;
}

const NEVER = Number.POSITIVE_INFINITY;

/** A call that waits in a line. */
export class Waiter {
  next: Waiter | undefined = undefined;
  previous: Waiter | undefined = undefined;
  /** Where it waits. `undefined` when its wait is over. */
  line: KeyLine | undefined = undefined;
  readonly call: WaitingCall;
  /** Later calls have greater numbers, in all lines in which both may stand. */
  readonly order: number;
  /** `undefined` without one: then the field holds no number, for which the engine would allocate memory. */
  readonly #deadlineUs: number | undefined;
  /** Whether it counts among those that may wait. A call that is asked for at once need not wait. */
  isInLine: boolean;
  /** Its own timers, where the runtime ends timers with requests. */
  pulse: WaiterPulse | undefined = undefined;
  /** When it is served by its line's forecast, if there is one. */
  foreseenUs = 0;
  readonly #signal: WaitSignal | undefined;
  readonly #stopListening: (() => void) | undefined;
  /** Called once, in the turn in which the store decides: work that waited begins there. */
  readonly #end: (end: WaitEnd) => void;

  constructor(
    call: WaitingCall,
    order: number,
    deadlineUs: number | undefined,
    isInLine: boolean,
    signal: WaitSignal | undefined,
    end: (end: WaitEnd) => void,
  ) {
    this.call = call;
    this.order = order;
    this.#deadlineUs = deadlineUs;
    this.isInLine = isInLine;
    this.#signal = signal;
    this.#end = end;
    this.#stopListening = signal === undefined ? undefined : onAbort(signal, () => this.#aborted());
  }

  get deadlineUs(): number {
    return this.#deadlineUs ?? NEVER;
  }

  /**
   * How long to wait until the call is asked for again, which was denied just now, and so many times in a row before.
   * `undefined` if that is too late.
   */
  waitUs({ limit, retryAfterMs }: Decision, denials: number, nowUs: number): number | undefined {
    const toldUs = Math.round(retryAfterMs * 1000);
    if (limit === undefined || !countsPlaces(limit)) return nowUs + toldUs > this.deadlineUs ? undefined : toldUs;
    // A place may be freed at any moment, long before it expires. Units come back when they are told to.
    return nowUs >= this.deadlineUs ? undefined : Math.min(toldUs, nextLookUs(denials));
  }

  settle(decision: Decision): void {
    this.#stopListening?.();
    this.call.ended(decision);
    this.#end(decision);
  }

  fail(reason: unknown): void {
    this.#stopListening?.();
    this.#end(rejected(reason));
  }

  #aborted(): void {
    const { line } = this;
    line?.leave(this);
    this.fail(this.#signal?.reason);
    line?.serve();
  }
}

const FIRST_LOOK_US = 10_000;
const LAST_LOOK_US = 1_000_000;

/** When to ask again for a place that another limiter may have freed: this one's own are served at once. */
function nextLookUs(denials: number): number {
  return Math.min(FIRST_LOOK_US * 2 ** Math.min(denials, 10), LAST_LOOK_US);
}
