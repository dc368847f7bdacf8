import { type Clock, readUs } from "../core/clock.ts";
import { type Cost, copyCost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import type { Call } from "../core/store.ts";
import { type CheckedRequest, requestOf } from "./call.ts";
import type { Choice } from "./choice.ts";
import { denyByLimits } from "./decide.ts";
import type { Forecast } from "./forecast.ts";
import type { Line } from "./line.ts";
import { holdingLine } from "./line-guard.ts";
import type { Lines } from "./lines.ts";
import { haveSameItems } from "./list-cache.ts";
import type { Observers } from "./observers.ts";
import { rejected } from "./promised.ts";
import type { Selection } from "./selection.ts";
import type { PlannedSpace } from "./space-list.ts";
import { checkWaitOptions, type WaitOptions } from "./wait-options.ts";
import { type KeyLine, type LineReason, type Server, Waiter, type WaitingCall } from "./waiter.ts";

/** What waiting needs of a limiter. */
export interface WaitingParts<Space extends PlannedSpace> {
  readonly name: string;
  readonly clock: Clock;
  readonly selection: Selection<never, Space>;
  readonly observers: Observers;
  /** One for each key of a call. */
  readonly lines: readonly Lines<Space>[];
}

/** The verb `wait`, over any store. A subclass says how the store is asked. */
export abstract class Waiting<Space extends PlannedSpace> implements Server<Space> {
  readonly lines: readonly Lines<Space>[];
  protected readonly name: string;
  protected readonly clock: Clock;
  readonly #selection: Selection<never, Space>;
  readonly #observers: Observers;

  constructor({ name, clock, selection, observers, lines }: WaitingParts<Space>) {
    this.name = name;
    this.clock = clock;
    this.#selection = selection;
    this.#observers = observers;
    this.lines = lines;
  }

  abstract ask(waiter: Waiter<Space>, line: KeyLine<Space>): void;
  abstract jitterUs(waitUs: number, denials: number): number;
  abstract createForecast(line: KeyLine<Space>, nowUs: number): Forecast<Space>;
  abstract denyBehind(line: KeyLine<Space>, call: WaitingCall<Space>, reason: LineReason): Decision;
  abstract giveBack(call: WaitingCall<Space>, decision: Decision): void;

  /** Waits for a call whose keys and limits `choose` finds. Misuse throws. */
  wait(choose: () => Choice<Space>, cost: Cost, options: WaitOptions | undefined): Promise<Decision> {
    const { signal, maxWaitUs } = checkWaitOptions(options);
    const own = copyCost(cost);
    const choice = choose();
    const nowUs = readUs(this.clock);
    const line = holdingLine(this.lines, choice.keys, nowUs);
    const call = this.#callOf(line?.tail?.call, choice, own);
    const { calls, deniedBy } = this.request(call);
    if (signal?.aborted === true) return rejected(signal.reason);
    if (deniedBy !== undefined) return this.#end(call, denyByLimits(deniedBy));
    const reason = line && this.#reasonBehind(line, calls, nowUs, maxWaitUs);
    if (line !== undefined && reason !== undefined) return this.#end(call, this.denyBehind(line, call, reason));
    const waiter = new Waiter<Space>(call, this.#nextOrder(), nowUs + maxWaitUs, line !== undefined, signal);
    return this.#join(line ?? this.#lineOf(choice), waiter);
  }

  foresee(forecast: Forecast<Space>, { call, deadlineUs }: Waiter<Space>, notBeforeUs: number): number {
    const { calls } = this.request(call);
    const servedUs = forecast.whenUs(calls, notBeforeUs);
    if (servedUs <= deadlineUs) forecast.add(calls, servedUs);
    return servedUs;
  }

  notify({ choice, cost }: WaitingCall<Space>, decision: Decision): void {
    this.#observers.ofCalls?.({ type: "decision", verb: "wait", keys: [...choice.keys], cost, decision });
  }

  /** The checked request of a call. Throws for misuse. */
  protected request(call: WaitingCall<Space>): CheckedRequest<Space> {
    const request = call.request ?? requestOf(this.#selection, call.choice, call.cost);
    // Fixed limits keep their space. Others may be released.
    if (this.#selection.fixed !== undefined) call.request = request;
    return request;
  }

  /** The call before, if this one is the same: most calls of a line are alike. */
  #callOf(last: WaitingCall<Space> | undefined, choice: Choice<Space>, cost: Cost): WaitingCall<Space> {
    const isSame =
      last?.server === this &&
      last.cost === cost &&
      haveSameItems(last.choice.keys, choice.keys) &&
      haveSameItems(last.choice.chosen, choice.chosen);
    return isSame ? last : { server: this, choice: choice.keepKeys(), cost, request: undefined };
  }

  /** Why a call may not wait at the end of a line. */
  #reasonBehind(
    line: Line<Space>,
    calls: readonly Call<Space>[],
    nowUs: number,
    maxWaitUs: number,
  ): LineReason | undefined {
    if (!this.lines.some((lines) => lines.find(line.key) === line && lines.hasPlace(line.key))) return "queue-full";
    if (maxWaitUs !== Number.POSITIVE_INFINITY) {
      const servedUs = line.forecast(this, nowUs).whenUs(calls, 0) + line.lateUs;
      if (servedUs > nowUs + maxWaitUs) return "others-waiting";
    }
    return calls.some(isOverCapacity) ? "others-waiting" : undefined;
  }

  #join(line: Line<Space>, waiter: Waiter<Space>): Promise<Decision> {
    const ended = waiter.begin();
    line.join(waiter);
    line.serve();
    return ended;
  }

  /** The line in which a call waits that is the first for its keys. */
  #lineOf({ keys }: Choice<Space>): Line<Space> {
    for (const [i, lines] of this.lines.entries()) {
      const line = lines.find(keys[i]!);
      if (line !== undefined) return line;
    }
    return this.lines[0]!.open(keys[0]!);
  }

  /** Greater than those of all calls that may stand in the same lines. */
  #nextOrder(): number {
    let order = 0;
    for (const { lastOrder } of this.lines) if (lastOrder >= order) order = lastOrder + 1;
    for (const lines of this.lines) lines.lastOrder = order;
    return order;
  }

  #end(call: WaitingCall<Space>, decision: Decision): Promise<Decision> {
    this.notify(call, decision);
    return Promise.resolve(decision);
  }
}

/** Whether a call can never pass. */
function isOverCapacity({ space, costs }: Call<PlannedSpace>): boolean {
  return space.plan.limits.some(({ mode, capacity }, i) => mode === "enforce" && costs[i]! > capacity);
}
