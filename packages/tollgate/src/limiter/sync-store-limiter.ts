import { transact } from "../algorithms/transact.ts";
import { readInto, readTime } from "../core/clock.ts";
import { type Cost, checkCost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import { encodeKey, type Key, TUPLE_MARK_UNIT } from "../core/key.ts";
import type { Limit } from "../core/limits/limit.ts";
import { countsNumbers, type Plan } from "../core/plan.ts";
import { Report } from "../core/report.ts";
import type { SyncSpace, TakenFrom } from "../core/store.ts";
import { createTimeCell, type TimeCell } from "../core/time-cell.ts";
import type { Verb } from "../core/verbs.ts";
import { type CheckedRequest, requestFor } from "./call.ts";
import { checkBatch, checkDecision } from "./check-arguments.ts";
import { decide } from "./decide.ts";
import { ChoiceHandle, KeyRefHandle } from "./handle.ts";
import type { Handle, Limiter } from "./limiter.ts";
import type { Choice, FixedSelection, Place, Selection } from "./selection.ts";
import { type MakeRequest, StoreLimiter, type StoreLimiterParts } from "./store-limiter.ts";

/** A limiter over stores in this process, with shortcuts for fixed limits and plain costs. */
export class SyncStoreLimiter<Input> extends StoreLimiter<"sync", Input, SyncSpace> implements Limiter<Input> {
  readonly kind = "sync";
  /** Set if `allow` can ask the only space directly. */
  readonly #direct: FixedSelection<Input, SyncSpace> | undefined;
  /** The time of the current `allow`. */
  readonly #now = createTimeCell();
  /** Reused by calls. A call removes its scratch while it decides, because clocks and listeners may call again. */
  readonly #scratch: Scratch[] = [];

  constructor(parts: StoreLimiterParts<Input, SyncSpace>) {
    super(parts);
    this.#direct = parts.observers.length === 0 ? directSelection(parts.selection) : undefined;
    Object.freeze(this);
  }

  override allow(input: Input, cost: Cost = 1): boolean {
    const direct = this.#direct;
    if (direct === undefined || typeof cost !== "number") return this.#allowRequested(input, cost);
    const given = direct.key(input);
    // `encodeKey` is apart, so that this function stays small enough to inline.
    const key = typeof given === "string" && given.charCodeAt(0) !== TUPLE_MARK_UNIT ? given : encodeKey(given);
    if (cost !== 1) checkCost(cost);
    readInto(this.clock, this.#now);
    return direct.space.allow(key, cost, this.#now);
  }

  override consume(input: Input, cost: Cost = 1): Decision {
    const direct = this.#direct;
    if (direct === undefined || typeof cost !== "number") return super.consume(input, cost);
    return this.#decideDirectly("take", direct, input, cost);
  }

  override peek(input: Input, cost: Cost = 1): Decision {
    const direct = this.#direct;
    if (direct === undefined || typeof cost !== "number") return super.peek(input, cost);
    return this.#decideDirectly("peek", direct, input, cost);
  }

  override charge(input: Input, cost: Cost, decision?: Decision): Decision {
    const direct = this.#direct;
    if (direct === undefined || typeof cost !== "number") return super.charge(input, cost, decision);
    checkDecision(decision);
    return this.#decideDirectly("charge", direct, input, cost);
  }

  allowMany(inputs: readonly Input[], out: Uint8Array, cost: Cost = 1): number {
    checkBatch(inputs, out);
    if (typeof cost === "number") checkCost(cost);
    const direct = this.#direct;
    if (direct?.space.allowMany === undefined || typeof cost !== "number") return this.#allowEach(inputs, out, cost);
    const keys: string[] = [];
    for (const input of inputs) keys.push(encodeKey(direct.key(input)));
    return direct.space.allowMany(keys, cost, readTime(this.clock), out);
  }

  handle(input: Input): Handle {
    return this.#handleOf(this.selection.keep(input));
  }

  byKey(key: Key, limits?: readonly Limit[]): Handle {
    return this.#handleOf(this.selection.keepKey(key, limits));
  }

  #handleOf(choice: Choice<SyncSpace>): Handle {
    const space = this.#direct?.space;
    const ref = space?.keyRef?.(choice.keys[0]!);
    if (ref === undefined || !hasKeyRefs(space)) return new ChoiceHandle<"sync", SyncSpace>(choice, this);
    return new KeyRefHandle(space, ref, this.clock, this.#now, choice, this);
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
    this.end();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  protected override resetPlaces(find: () => readonly Place<SyncSpace>[]): void {
    for (const { space, key } of find()) space.drop(key);
    this.selection.maintain();
  }

  protected override ask<T>(
    verb: Verb,
    make: MakeRequest<SyncSpace>,
    read: (report: Report, request: CheckedRequest<SyncSpace>) => T,
    takenFrom?: TakenFrom,
  ): T {
    const request = make();
    return read(this.#transact(verb, request, readTime(this.clock), takenFrom), request);
  }

  #transact(verb: Verb, request: CheckedRequest<SyncSpace>, now: TimeCell, takenFrom?: TakenFrom): Report {
    const denied = this.deniedReport(verb, request);
    if (denied !== undefined) return denied;
    const report = transact(verb, request.calls, now, takenFrom);
    this.notifyDegraded(report);
    return report;
  }

  /** Apart, so that `allow` stays small enough to inline. */
  #allowRequested(input: Input, cost: Cost): boolean {
    return this.allowRequest(() => this.request(input, cost), cost);
  }

  /** A decision in one space, which allocates nothing but the decision. */
  #decideDirectly(
    verb: Verb,
    { key: keyOf, space }: FixedSelection<Input, SyncSpace>,
    input: Input,
    cost: number,
  ): Decision {
    const key = encodeKey(keyOf(input));
    checkCost(cost);
    const scratch = this.#scratch.pop() ?? new Scratch(space.plan);
    const { report, plans, now } = scratch;
    readInto(this.clock, now);
    report.clear();
    report.admitted =
      verb === "take" && space.consume !== undefined
        ? space.consume(key, cost, now, report)
        : space.apply(verb, key, scratch.costsOf(cost), now, report, 0);
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
      const allowed = this.readAllowed(this.#transact("take", request, now), request, cost);
      out[i] = allowed ? 1 : 0;
      if (allowed) admitted += 1;
    }
    return admitted;
  }
}

/** The memory in which a decision under one plan is made. */
class Scratch {
  readonly now: TimeCell = createTimeCell();
  readonly report: Report = new Report();
  readonly plans: readonly Plan[];
  readonly #costs: number[] = [];
  readonly #countsNumber: readonly boolean[];

  constructor(plan: Plan) {
    this.plans = [plan];
    this.#countsNumber = plan.countsNumber;
  }

  /** A plain cost for each limit that counts plain numbers. */
  costsOf(cost: number): readonly number[] {
    for (let i = 0; i < this.#countsNumber.length; i += 1) this.#costs[i] = this.#countsNumber[i]! ? cost : 0;
    return this.#costs;
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
