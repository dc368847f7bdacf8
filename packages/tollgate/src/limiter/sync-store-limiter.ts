import { transact } from "../algorithms/transact.ts";
import { type Clock, readInto, readUs } from "../core/clock.ts";
import { type Cost, checkCost } from "../core/cost.ts";
import type { Decision, LimitStatus } from "../core/decision.ts";
import type { DecisionObservation, Observer } from "../core/observer.ts";
import { countsNumbers, type Plan } from "../core/plan.ts";
import { Report } from "../core/report.ts";
import type { SyncSpace, TakenFrom, Verb } from "../core/store.ts";
import { createTimeCell } from "../core/time-cell.ts";
import { checkBatch } from "./batch.ts";
import { type Calls, type CheckedRequest, requestFor, requestOf } from "./call.ts";
import { checkDecision } from "./check-decision.ts";
import { decide, explainLimits, plansOf } from "./decide.ts";
import { type ChoiceVerbs, ChosenHandle, HeldHandle } from "./handle.ts";
import type { Handle, Limiter } from "./limiter.ts";
import { checkKey } from "./options.ts";
import type { Choice, FixedSelection, Selection, Source } from "./selection.ts";
import { sum } from "./sum.ts";
import { tellAll } from "./tell-all.ts";

export interface SyncStoreLimiterParts<Input> {
  readonly name: string;
  readonly selection: Selection<Input, SyncSpace>;
  readonly sources: readonly Source[];
  readonly clock: Clock;
  readonly observers: readonly Observer[];
  /** Has its context hear of nothing more. */
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
  /** Whose space `allow` can ask directly; `undefined` where a call takes more than that. */
  readonly #direct: FixedSelection<Input, SyncSpace> | undefined;
  /** The time of the call at hand. */
  readonly #now = createTimeCell();
  /** What calls decide with, taken while one does: in the middle of a call a clock or a listener may call again. */
  readonly #scratch: Scratch[] = [];

  constructor({ name, selection, sources, clock, observers, close }: SyncStoreLimiterParts<Input>) {
    this.name = name;
    this.selection = selection;
    this.clock = clock;
    this.sources = sources;
    this.observers = observers;
    this.#observe = tellAll(observers);
    this.#close = close;
    this.#direct = observers.length === 0 ? directSelection(selection) : undefined;
    Object.freeze(this);
  }

  allow(input: Input, cost: Cost = 1): boolean {
    const direct = this.#direct;
    if (direct === undefined || typeof cost !== "number") return this.#allowIndirectly(input, cost);
    const key = direct.key(input);
    // Checked here and refused elsewhere: the smaller this is, the more of what it calls is inlined.
    if (typeof key !== "string") checkKey(key);
    if (cost !== 1) checkCost(cost);
    readInto(this.clock, this.#now);
    return direct.space.allow(key, this.#now, cost);
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
    return direct.space.allowMany(keys, readUs(this.clock), cost, out);
  }

  handle(input: Input): Handle {
    const choice = this.selection.keep(input);
    const [pair] = this.#direct === undefined ? [] : choice.pairs();
    const hold = pair?.space.hold?.(pair.key);
    if (hold === undefined) return new ChosenHandle(choice, this);
    return new HeldHandle(hold, this.clock, this.#now, choice, this);
  }

  /** For handles. */
  allowChosen(choice: Choice<SyncSpace>, cost: Cost): boolean {
    return this.#allowAnyhow(this.#requestOf(choice, cost), cost, readUs(this.clock));
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
    this.#transact("refund", this.#requestOf(choice, cost).calls, readUs(this.clock), decision);
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
    this.#transact("refund", this.#request(input, cost).calls, readUs(this.clock), decision);
  }

  reset(input: Input): void {
    for (const { space, key } of this.selection.everyPair(input)) space.drop(key);
    this.selection.maintain();
  }

  clear(): void {
    for (const space of this.selection.spaces()) space.clear();
  }

  sweep(): number {
    const nowUs = readUs(this.clock);
    return sum(this.selection.spaces().map((space) => space.sweep(nowUs)));
  }

  get size(): number {
    return sum(this.selection.spaces().map((space) => space.size));
  }

  close(): void {
    this.#close();
    for (const space of this.selection.spaces()) space.release();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** As `consume` does anyhow, with nothing made but the decision. */
  #consumeDirectly({ key: keyOf, space }: FixedSelection<Input, SyncSpace>, input: Input, cost: number): Decision {
    const key = keyOf(input);
    checkKey(key);
    checkCost(cost);
    const nowUs = readUs(this.clock);
    const scratch = this.#scratch.pop() ?? new Scratch(space.plan);
    const { report, costs, plans } = scratch;
    report.clear();
    const { countsNumber } = space.plan;
    for (let i = 0; i < countsNumber.length; i += 1) costs[i] = countsNumber[i]! ? cost : 0;
    report.admitted = space.apply("take", key, nowUs, costs, report, 0);
    const decision = decide(this.name, plans, report);
    // Others may use it from here on: cleaning up asks clocks and tells listeners, who may call this limiter.
    this.#scratch.push(scratch);
    space.maintain();
    return decision;
  }

  /** Every input is checked before any is counted. */
  #allowEach(inputs: readonly Input[], out: Uint8Array, cost: Cost): number {
    this.selection.maintain();
    const batch = Array.from(inputs, (input) => requestFor(this.selection, input, cost));
    const nowUs = readUs(this.clock);
    let admitted = 0;
    for (const [i, request] of batch.entries()) {
      const allowed = this.#allowAnyhow(request, cost, nowUs);
      out[i] = allowed ? 1 : 0;
      if (allowed) admitted += 1;
    }
    return admitted;
  }

  #allowIndirectly(input: Input, cost: Cost): boolean {
    return this.#allowAnyhow(this.#request(input, cost), cost, readUs(this.clock));
  }

  #allowAnyhow(request: CheckedRequest<SyncSpace>, cost: Cost, nowUs: number): boolean {
    if (this.#observe !== undefined) return this.#decided("allow", "take", request, cost, nowUs).allowed;
    return this.#transact("take", request.calls, nowUs).admitted;
  }

  #decided(
    name: DecisionObservation["verb"],
    verb: Verb,
    { keys, calls }: CheckedRequest<SyncSpace>,
    cost: Cost,
    nowUs: number = readUs(this.clock),
  ): Decision {
    const decision = decide(this.name, plansOf(calls), this.#transact(verb, calls, nowUs));
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

  #transact(verb: Verb, calls: Calls<SyncSpace>, nowUs: number = readUs(this.clock), takenFrom?: TakenFrom): Report {
    const report = transact(verb, calls, nowUs, takenFrom);
    if (report.degraded !== undefined) {
      this.#observe?.({ type: "degradation", limiter: this.name, cause: report.degraded });
    }
    return report;
  }
}

/** What a decision under one plan is made of. */
class Scratch {
  readonly report: Report = new Report();
  readonly costs: number[] = [];
  readonly plans: readonly Plan[];

  constructor(plan: Plan) {
    this.plans = [plan];
  }
}

/** Fixed limits have one space. */
function directSelection<Input>(selection: Selection<Input, SyncSpace>): FixedSelection<Input, SyncSpace> | undefined {
  const fixed = selection.fixed;
  return fixed !== undefined && countsNumbers(fixed.space.plan) ? fixed : undefined;
}
