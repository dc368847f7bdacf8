import { transact } from "../algorithms/transact.ts";
import { type Clock, readInto, readTime } from "../core/clock.ts";
import { type Cost, checkCost } from "../core/cost.ts";
import type { Decision, LimitStatus } from "../core/decision.ts";
import type { DecisionObservation, Observer } from "../core/observer.ts";
import { countsNumbers, type Plan } from "../core/plan.ts";
import { Report } from "../core/report.ts";
import type { Call, SyncSpace, TakenFrom } from "../core/store.ts";
import { createTimeCell, type TimeCell } from "../core/time-cell.ts";
import type { Verb } from "../core/verbs.ts";
import { type CheckedRequest, requestFor, requestOf } from "./call.ts";
import { checkBatch, checkDecision, checkKey } from "./check-arguments.ts";
import { decide } from "./decide.ts";
import { plansOf } from "./entries.ts";
import { explainLimits } from "./explain.ts";
import { ChoiceHandle, type ChoiceVerbs, KeyRefHandle } from "./handle.ts";
import type { Handle, Limiter } from "./limiter.ts";
import { notifyAll } from "./observers.ts";
import type { Choice, FixedSelection, Selection, Source } from "./selection.ts";

export interface SyncStoreLimiterParts<Input> {
  readonly name: string;
  readonly selection: Selection<Input, SyncSpace>;
  readonly sources: readonly Source[];
  readonly clock: Clock;
  readonly observers: readonly Observer[];
  /** Ends sweep notifications. */
  readonly close: () => void;
}

/** The verbs over spaces that answer at once. */
export class SyncStoreLimiter<Input> implements Limiter<Input>, ChoiceVerbs {
  readonly kind = "sync";
  readonly name: string;
  readonly selection: Selection<Input, SyncSpace>;
  readonly clock: Clock;
  readonly sources: readonly Source[];
  readonly observers: readonly Observer[];
  readonly #observe: Observer | undefined;
  readonly #close: () => void;
  /** Set if `allow` can ask the only space directly. */
  readonly #direct: FixedSelection<Input, SyncSpace> | undefined;
  /** The time of the current `allow`. */
  readonly #now = createTimeCell();
  /** Reused by calls. A call removes its scratch while it decides, because clocks and listeners may call again. */
  readonly #scratch: Scratch[] = [];

  constructor({ name, selection, sources, clock, observers, close }: SyncStoreLimiterParts<Input>) {
    this.name = name;
    this.selection = selection;
    this.clock = clock;
    this.sources = sources;
    this.observers = observers;
    this.#observe = notifyAll(observers);
    this.#close = close;
    this.#direct = observers.length === 0 ? directSelection(selection) : undefined;
    Object.freeze(this);
  }

  allow(input: Input, cost: Cost = 1): boolean {
    const direct = this.#direct;
    if (direct === undefined || typeof cost !== "number") return this.#allowIndirectly(input, cost);
    const key = direct.key(input);
    // `checkKey` throws, so that this function stays small enough to inline.
    if (typeof key !== "string") checkKey(key);
    if (cost !== 1) checkCost(cost);
    readInto(this.clock, this.#now);
    return direct.space.allow(key, cost, this.#now);
  }

  allowMany(inputs: readonly Input[], out: Uint8Array, cost: Cost = 1): number {
    checkBatch(inputs, out);
    if (typeof cost === "number") checkCost(cost);
    const direct = this.#direct;
    if (direct?.space.allowMany === undefined || typeof cost !== "number") return this.#allowEach(inputs, out, cost);
    const keys: string[] = [];
    for (const input of inputs) {
      const key = direct.key(input);
      checkKey(key);
      keys.push(key);
    }
    return direct.space.allowMany(keys, cost, readTime(this.clock), out);
  }

  handle(input: Input): Handle {
    const choice = this.selection.keep(input);
    const space = this.#direct?.space;
    const ref = space?.keyRef?.(choice.keys[0]!);
    if (ref === undefined || !hasKeyRefs(space)) return new ChoiceHandle(choice, this);
    return new KeyRefHandle(space, ref, this.clock, this.#now, choice, this);
  }

  /** For handles. */
  allowChosen(choice: Choice<SyncSpace>, cost: Cost): boolean {
    return this.#allowRequest(this.#requestOf(choice, cost), cost, readTime(this.clock));
  }

  /** For handles. */
  consumeChosen(choice: Choice<SyncSpace>, cost: Cost): Decision {
    return this.#decided("consume", "take", this.#requestOf(choice, cost), cost);
  }

  /** For handles. */
  chargeChosen(choice: Choice<SyncSpace>, cost: Cost, decision: Decision | undefined): Decision {
    checkDecision(decision);
    return this.#decided("charge", "charge", this.#requestOf(choice, cost), cost);
  }

  /** For handles. */
  refundChosen(choice: Choice<SyncSpace>, cost: Cost, decision: Decision | undefined): void {
    checkDecision(decision);
    this.#transact("refund", this.#requestOf(choice, cost).calls, readTime(this.clock), decision);
  }

  consume(input: Input, cost: Cost = 1): Decision {
    const direct = this.#direct;
    if (direct !== undefined && typeof cost === "number") return this.#consumeDirectly(direct, input, cost);
    return this.#decided("consume", "take", this.#request(input, cost), cost);
  }

  peek(input: Input, cost: Cost = 1): Decision {
    const { calls } = this.#request(input, cost);
    return decide(this.name, plansOf(calls), this.#transact("peek", calls));
  }

  explain(input: Input, cost: Cost = 1): LimitStatus[] {
    const { calls } = this.#request(input, cost);
    return explainLimits(calls, this.#transact("explain", calls));
  }

  charge(input: Input, cost: Cost, decision?: Decision): Decision {
    checkDecision(decision);
    return this.#decided("charge", "charge", this.#request(input, cost), cost);
  }

  refund(input: Input, cost: Cost, decision?: Decision): void {
    checkDecision(decision);
    this.#transact("refund", this.#request(input, cost).calls, readTime(this.clock), decision);
  }

  reset(input: Input): void {
    for (const { space, key } of this.selection.everyPlace(input)) space.drop(key);
    this.selection.maintain();
  }

  clear(): void {
    for (const space of this.selection.spaces()) space.clear();
  }

  sweep(): number {
    const now = readTime(this.clock);
    return this.selection.spaces().reduce((total, space) => total + space.sweep(now), 0);
  }

  get size(): number {
    return this.selection.spaces().reduce((total, space) => total + space.size, 0);
  }

  close(): void {
    this.#close();
    for (const space of this.selection.spaces()) space.release();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** `consume` for one space, which allocates nothing but the decision. */
  #consumeDirectly({ key: keyOf, space }: FixedSelection<Input, SyncSpace>, input: Input, cost: number): Decision {
    const key = keyOf(input);
    checkKey(key);
    checkCost(cost);
    const scratch = this.#scratch.pop() ?? new Scratch(space.plan);
    const { report, costs, plans, now } = scratch;
    readInto(this.clock, now);
    report.clear();
    const { countsNumber } = space.plan;
    for (let i = 0; i < countsNumber.length; i += 1) costs[i] = countsNumber[i]! ? cost : 0;
    report.admitted = space.apply("take", key, costs, now, report, 0);
    const decision = decide(this.name, plans, report);
    // Other calls may use the scratch from here on: maintenance asks clocks and notifies listeners.
    this.#scratch.push(scratch);
    space.maintain();
    return decision;
  }

  /** Every input is checked before any is counted. */
  #allowEach(inputs: readonly Input[], out: Uint8Array, cost: Cost): number {
    this.selection.maintain();
    const batch = Array.from(inputs, (input) => requestFor(this.selection, input, cost));
    const now = readTime(this.clock);
    let admitted = 0;
    for (const [i, request] of batch.entries()) {
      const allowed = this.#allowRequest(request, cost, now);
      out[i] = allowed ? 1 : 0;
      if (allowed) admitted += 1;
    }
    return admitted;
  }

  #allowIndirectly(input: Input, cost: Cost): boolean {
    return this.#allowRequest(this.#request(input, cost), cost, readTime(this.clock));
  }

  #allowRequest(request: CheckedRequest<SyncSpace>, cost: Cost, now: TimeCell): boolean {
    if (this.#observe !== undefined) return this.#decided("allow", "take", request, cost, now).allowed;
    return this.#transact("take", request.calls, now).admitted;
  }

  #decided(
    name: DecisionObservation["verb"],
    verb: Verb,
    { keys, calls }: CheckedRequest<SyncSpace>,
    cost: Cost,
    now: TimeCell = readTime(this.clock),
  ): Decision {
    const decision = decide(this.name, plansOf(calls), this.#transact(verb, calls, now));
    this.#observe?.({ type: "decision", verb: name, keys, cost, decision });
    return decision;
  }

  #request(input: Input, cost: Cost): CheckedRequest<SyncSpace> {
    this.selection.maintain();
    return requestFor(this.selection, input, cost);
  }

  #requestOf(choice: Choice<SyncSpace>, cost: Cost): CheckedRequest<SyncSpace> {
    this.selection.maintain();
    return requestOf(this.selection, choice, cost);
  }

  #transact(
    verb: Verb,
    calls: readonly Call<SyncSpace>[],
    now: TimeCell = readTime(this.clock),
    takenFrom?: TakenFrom,
  ): Report {
    const report = transact(verb, calls, now, takenFrom);
    if (report.degraded !== undefined) {
      this.#observe?.({ type: "degradation", limiter: this.name, cause: report.degraded });
    }
    return report;
  }
}

/** The memory in which a decision under one plan is made. */
class Scratch {
  readonly now: TimeCell = createTimeCell();
  readonly report: Report = new Report();
  readonly costs: number[] = [];
  readonly plans: readonly Plan[];

  constructor(plan: Plan) {
    this.plans = [plan];
  }
}

function hasKeyRefs(space: SyncSpace | undefined): space is SyncSpace & Required<Pick<SyncSpace, "allowRef">> {
  return space?.allowRef !== undefined;
}

/** The selection, if its only space counts plain numbers. */
function directSelection<Input>(selection: Selection<Input, SyncSpace>): FixedSelection<Input, SyncSpace> | undefined {
  const fixed = selection.fixed;
  return fixed !== undefined && countsNumbers(fixed.space.plan) ? fixed : undefined;
}
