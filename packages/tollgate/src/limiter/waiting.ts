import { type Clock, readUs } from "../core/clock.ts";
import { type Cost, copyCost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import { Report } from "../core/report.ts";
import type { Call } from "../core/store.ts";
import { type CheckedRequest, requestOf } from "./call.ts";
import { Choice } from "./choice.ts";
import { decide, denyByLimits } from "./decide.ts";
import { turnOf } from "./denied-error.ts";
import type { Forecast } from "./forecast.ts";
import type { Line } from "./line.ts";
import { holdingLine } from "./line-guard.ts";
import type { Lines } from "./lines.ts";
import { haveSameItems } from "./list-cache.ts";
import type { Observers } from "./observers.ts";
import { withoutPlaces } from "./places.ts";
import { rejected } from "./promised.ts";
import type { Selection } from "./selection.ts";
import type { PlannedSpace } from "./space-list.ts";
import { type CheckedWait, checkWaitOptions, type WaitOptions } from "./wait-options.ts";
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

/** Only `acquire` may wait for places: it holds them. */
type WaitingVerb = "wait" | "acquire";

/** The verb `wait`, over any store. A subclass says how the store is asked. */
export abstract class Waiting<Space extends PlannedSpace> implements Server<Space> {
  readonly lines: readonly Lines<Space>[];
  protected readonly name: string;
  protected readonly clock: Clock;
  readonly #selection: Selection<never, Space>;
  readonly #observers: Observers;
  /** One call after another uses it: most are like the call before them, whose keys are kept already. */
  #choice: Choice<Space> | undefined = undefined;

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

  /** Waits for an input's call. Misuse throws, and a denial rejects. */
  wait(input: unknown, cost: Cost, options: WaitOptions | undefined): Promise<Decision> {
    const checked = checkWaitOptions(options);
    const own = copyCost(cost);
    // A key function may call again.
    const choice = this.#choice ?? new Choice<Space>();
    this.#choice = undefined;
    choice.clear();
    this.#selection.choose(input as never, choice);
    const ended = this.#wait("wait", choice, own, checked);
    this.#choice = choice;
    return turnOf("wait", ended);
  }

  /** Works like `wait`, for keys and limits that are chosen already. */
  waitChosen(
    verb: WaitingVerb,
    choice: Choice<Space>,
    cost: Cost,
    options: WaitOptions | undefined,
  ): Promise<Decision> {
    const checked = checkWaitOptions(options);
    return turnOf(verb, this.#wait(verb, choice, copyCost(cost), checked));
  }

  #wait(verb: WaitingVerb, choice: Choice<Space>, own: Cost, checked: CheckedWait): Promise<Decision> {
    if (this.#observers.stopwatch === undefined) return this.#begin(verb, choice, own, checked);
    const begunUs = readUs(this.clock);
    const ended = this.#begin(verb, choice, own, checked);
    // A wait that ends with an error is no wait for a turn.
    ended.then(() => this.#observers.noteWaited(readUs(this.clock) - begunUs)).catch(() => {});
    return ended;
  }

  #begin(verb: WaitingVerb, choice: Choice<Space>, own: Cost, { signal, maxWaitUs }: CheckedWait): Promise<Decision> {
    const nowUs = readUs(this.clock);
    const line = holdingLine(this.lines, choice.keys, nowUs);
    const call = this.#callOf(line?.tail?.call, choice, own);
    const request = this.request(call);
    const { calls, deniedBy } = verb === "wait" ? withoutPlaces(verb, request) : request;
    if (signal?.aborted === true) return rejected(signal.reason);
    if (deniedBy !== undefined) return this.#end(call, denyByLimits(deniedBy));
    // Without a key there is nothing to wait for.
    if (this.lines.length === 0) return this.#end(call, decide(this.name, [], [], new Report()));
    const reason = line && this.#reasonBehind(line, call, calls, nowUs, maxWaitUs);
    if (line !== undefined && reason !== undefined) return this.#end(call, this.denyBehind(line, call, reason));
    const deadlineUs = maxWaitUs === Number.POSITIVE_INFINITY ? undefined : nowUs + maxWaitUs;
    const waiter = new Waiter<Space>(call, this.#nextOrder(), deadlineUs, line !== undefined, signal);
    return this.#join(line ?? this.#lineOf(call.choice), waiter);
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
    if (isSame) return last;
    const { takesPlaces } = this.#selection.listOf(choice);
    return { server: this, choice: choice.kept(), cost, takesPlaces, request: undefined };
  }

  /** Why a call may not wait at the end of a line. */
  #reasonBehind(
    line: Line<Space>,
    { takesPlaces }: WaitingCall<Space>,
    calls: readonly Call<Space>[],
    nowUs: number,
    maxWaitUs: number,
  ): LineReason | undefined {
    if (!this.#hasRoomIn(line)) return "queue-full";
    if (maxWaitUs !== Number.POSITIVE_INFINITY && !(takesPlaces && maxWaitUs > 0)) {
      const servedUs = line.forecast(this, nowUs).whenUs(calls, 0) + line.lateUs;
      if (servedUs > nowUs + maxWaitUs) return "others-waiting";
    }
    return calls.some(isOverCapacity) ? "others-waiting" : undefined;
  }

  #hasRoomIn(line: Line<Space>): boolean {
    for (const lines of this.lines) {
      const isItsOwn = this.lines.length === 1 || lines.find(line.key) === line;
      if (isItsOwn && lines.hasRoomIn(line)) return true;
    }
    return false;
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
  const { limits } = space.plan;
  for (let i = 0; i < limits.length; i += 1) {
    if (limits[i]!.mode === "enforce" && costs[i]! > limits[i]!.capacity) return true;
  }
  return false;
}
