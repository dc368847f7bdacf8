import type { SyncBlocks } from "../core/blocks.ts";
import { readInto, readTime } from "../core/clock.ts";
import { type Cost, checkCost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import { encodeKey, TUPLE_MARK_UNIT } from "../core/key.ts";
import type { Report } from "../core/report.ts";
import type { SyncSpace, TakenFrom } from "../core/store.ts";
import { createTimeCell, type TimeCell } from "../core/time-cell.ts";
import type { Verb } from "../core/verbs.ts";
import { batchOf, decideEach } from "./batch.ts";
import { SyncBlockVerbs } from "./block-verbs.ts";
import type { CheckedRequest } from "./call.ts";
import { checkBatch, checkDecision } from "./check-arguments.ts";
import type { Choice } from "./choice.ts";
import { deniedReport } from "./decide.ts";
import { FixedKey } from "./fixed-key.ts";
import { type BlockVerbs, ChoiceHandle, hasKeyRefs, KeyRefHandle, type RefSpace, type Shortcut } from "./handle.ts";
import type { Handle, Limiter } from "./limiter.ts";
import { LineGuard } from "./line-guard.ts";
import type { Lines } from "./lines.ts";
import { deciderFor } from "./metered-decider.ts";
import { chargeName, type ObservedVerb } from "./notify-decision.ts";
import { type Reservation, type ReserveOptions, SyncReserved, termOf } from "./reservation.ts";
import type { FixedSelection } from "./selection.ts";
import type { CountedKey } from "./space-list.ts";
import { type MakeRequest, StoreLimiter, type StoreLimiterParts } from "./store-limiter.ts";
import { SyncDecider } from "./sync-decider.ts";
import { SyncWaiting } from "./sync-waiting.ts";
import { TappedCalls } from "./tapped-calls.ts";

/** The parts of a limiter over stores in this process. */
export interface SyncStoreLimiterParts<Input> extends StoreLimiterParts<Input, SyncSpace> {
  /** One for each key of a call; `undefined` if the store keeps no blocks. */
  readonly blocks: readonly (SyncBlocks | undefined)[];
}

/** A limiter over stores in this process, with shortcuts for fixed limits and plain costs. */
export class SyncStoreLimiter<Input> extends StoreLimiter<"sync", Input, SyncSpace> implements Limiter<Input> {
  readonly kind = "sync";
  /** Set if the limits are fixed, and no call waits. */
  #direct: FixedSelection<Input, SyncSpace> | undefined;
  /** Equals `#direct`, unless some calls are timed: then the decider is given the input. */
  #untimed: FixedSelection<Input, SyncSpace> | undefined;
  /**
   * Set if `allow` can ask the only space directly: it counts plain numbers, there are no observers, no limit has
   * `blockFor`, and no call waits.
   */
  #quick: FixedSelection<Input, SyncSpace> | undefined;
  /** Set in place of `#quick` while taps or meters see calls. */
  #tapped: TappedCalls<Input> | undefined;
  /** The only space, if `#quick` may be set and the space has key references. */
  readonly #refSpace: (SyncSpace & RefSpace) | undefined;
  /** The way of handles. As `#quick`, it is closed while calls wait. */
  readonly #shortcut: Shortcut = { space: undefined };
  /** The time of the current `allow`. */
  readonly #now = createTimeCell();
  readonly blocks: readonly (SyncBlocks | undefined)[];
  /** Not 0 while a key of the only store may be blocked. */
  readonly #someBlocks: Int32Array;
  readonly lines: readonly Lines<SyncSpace>[];
  readonly #guard: LineGuard;
  protected readonly waiting: SyncWaiting;
  /** Decides calls that are not observed. */
  readonly #unobserved: SyncDecider<Input>;
  #decider: SyncDecider<Input>;

  constructor(parts: SyncStoreLimiterParts<Input>) {
    super(parts);
    const { fixed } = parts.selection;
    this.#direct = fixed?.list().takesPlaces === true ? undefined : fixed;
    const quick = this.#direct?.isPlain === true ? this.#direct : undefined;
    this.#refSpace = quick !== undefined && hasKeyRefs(quick.space) ? quick.space : undefined;
    this.blocks = parts.blocks;
    this.lines = parts.lines;
    this.#guard = new LineGuard(parts.blocks, parts.lines, () => this.waiting);
    this.#someBlocks = this.#guard.firstSome;
    this.waiting = new SyncWaiting(parts, this.#guard, (report) => this.notifyDegraded(report));
    this.#unobserved = new SyncDecider(parts.name, parts.clock, parts.selection, undefined, this.#guard);
    this.#decider = this.#unobserved;
    const open = this.#openShortcuts(quick, parts.lines[0]!);
    this.observers.onChange = () => {
      this.#decider = deciderFor(parts, this.#guard, this.#unobserved);
      open();
      this.watchSweeps();
    };
    this.observers.onChange();
    Object.freeze(this);
  }

  override allow(input: Input, cost: Cost = 1): boolean {
    const quick = this.#quick;
    if (quick === undefined || typeof cost !== "number" || this.#someBlocks[0] !== 0) {
      return this.#allowRequested(input, cost);
    }
    const given = quick.key(input);
    // `encodeKey` is apart, so that this function stays small enough to inline.
    const key = typeof given === "string" && given.charCodeAt(0) !== TUPLE_MARK_UNIT ? given : encodeKey(given);
    if (cost !== 1) checkCost(cost);
    readInto(this.clock, this.#now);
    return quick.space.allow(key, cost, this.#now);
  }

  override consume(input: Input, cost: Cost = 1): Decision {
    return this.#decide(input, "consume", "take", cost);
  }

  override peek(input: Input, cost: Cost = 1): Decision {
    return this.#decide(input, undefined, "peek", cost);
  }

  override charge(input: Input, cost: Cost, decision?: Decision): Decision {
    checkDecision(decision);
    return this.#decide(input, chargeName(decision), "charge", cost);
  }

  override refund(input: Input, cost: Cost, decision?: Decision): void {
    const direct = this.#direct;
    checkDecision(decision);
    if (direct === undefined) super.refund(input, cost, decision);
    else this.#decider.refundIn(direct.list(), direct.space, encodeKey(direct.key(input)), cost, decision);
  }

  override allowChosen(choice: Choice<SyncSpace>, cost: Cost): boolean {
    return this.#allowDecider.allowChosen(choice, cost);
  }

  override consumeChosen(choice: Choice<SyncSpace>, cost: Cost): Decision {
    return this.#decider.decideChosen(choice, "consume", "take", cost);
  }

  override peekChosen(choice: Choice<SyncSpace>, cost: Cost): Decision {
    return this.#decider.decideChosen(choice, undefined, "peek", cost);
  }

  override chargeChosen(choice: Choice<SyncSpace>, cost: Cost, decision: Decision | undefined): Decision {
    checkDecision(decision);
    return this.#decider.decideChosen(choice, chargeName(decision), "charge", cost);
  }

  override refundChosen(choice: Choice<SyncSpace>, cost: Cost, decision: Decision | undefined): void {
    checkDecision(decision);
    this.selection.maintain();
    const list = this.selection.listOf(choice);
    if (list.only === undefined || list.takesPlaces || choice.deniedBy !== undefined || this.#guard.someWait)
      super.refundChosen(choice, cost, decision);
    else this.#decider.refundIn(list, list.only, choice.keys[list.keyIndexes[0]!]!, cost, decision);
  }

  /** Works like `chargeChosen`, for a key under fixed limits. */
  chargeFixed(fixed: FixedSelection<Input, SyncSpace>, key: string, cost: Cost, decision: Decision): Decision {
    if (this.#direct === undefined) return this.chargeChosen(fixed.choiceOf(key), cost, decision);
    return this.#decider.decideFixed(fixed, key, "correction", "charge", cost);
  }

  /** Works like `refundChosen`, for a key under fixed limits. */
  refundFixed(fixed: FixedSelection<Input, SyncSpace>, key: string, cost: Cost, decision: Decision): void {
    if (this.#direct === undefined) this.refundChosen(fixed.choiceOf(key), cost, decision);
    else this.#decider.refundIn(fixed.list(), fixed.space, key, cost, decision);
  }

  allowMany(inputs: readonly Input[], out: Uint8Array, cost: Cost = 1): number {
    checkBatch(inputs, out, cost);
    const open = this.#tapped === undefined ? this.#quick : this.#direct;
    const direct = this.#someBlocks[0] === 0 ? open : undefined;
    if (direct?.space.allowMany === undefined || typeof cost !== "number") return this.#allowEach(inputs, out, cost);
    const keys: string[] = [];
    for (const input of inputs) keys.push(encodeKey(direct.key(input)));
    const admitted = direct.space.allowMany(keys, cost, readTime(this.clock), out);
    this.#tapped?.decided(keys, out);
    return admitted;
  }

  protected override handleOf(choice: Choice<SyncSpace>): Handle {
    const ref = this.#refSpace?.keyRef?.(choice.keys[0]!);
    if (ref === undefined) return new ChoiceHandle<"sync", SyncSpace>(choice, this);
    return new KeyRefHandle(this.#shortcut, ref, this.clock, this.#now, this.#someBlocks, choice, this);
  }

  override blockVerbs(findKeys: () => readonly string[]): BlockVerbs<"sync"> {
    return new SyncBlockVerbs(this.#guard, this.clock, findKeys, (keys, block) => this.notifyBlock(keys, block));
  }

  clear(): void {
    for (const space of this.selection.spacesToForget()) space.clear();
    for (const lines of this.lines) lines.serveAll();
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

  override reserve(input: Input, cost: Cost = 1, options?: ReserveOptions): Reservation {
    const direct = this.#direct;
    if (direct === undefined) return super.reserve(input, cost, options);
    const term = termOf(this.clock, options);
    const key = encodeKey(direct.key(input));
    const decision = this.#decider.decideFixed(direct, key, "reserve", "take", cost);
    return new SyncReserved(new FixedKey(direct, key, this), cost, decision, term, undefined);
  }

  override consumeOrReserve(input: Input, cost: Cost = 1): Decision | Reservation {
    if (!this.mayTakePlaces) return this.consume(input, cost);
    return this.#decider.consumeOr(input, cost, (choice) => this.reserveChosen(choice, cost, undefined));
  }

  protected override reserveIn(
    choose: () => Choice<SyncSpace>,
    cost: Cost,
    options: ReserveOptions | undefined,
  ): Reservation {
    const term = termOf(this.clock, options);
    const choice = choose();
    const decision = this.#decider.decideChosen(choice, "reserve", "take", cost);
    const places = this.holdPlaces(choice, decision, cost);
    return new SyncReserved(new ChoiceHandle<"sync", SyncSpace>(choice, this), cost, decision, term, places);
  }

  protected override resetKeys(find: () => readonly CountedKey<SyncSpace>[]): void {
    const counted = find();
    for (const { space, key } of counted) space.drop(key);
    this.selection.maintain();
    for (const { key } of counted) this.#guard.changed(this.lines.map(() => key));
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
    const denied = deniedReport(verb, request);
    if (denied !== undefined) return denied;
    const report = this.#guard.transact(verb, request, now, takenFrom);
    this.notifyDegraded(report);
    return report;
  }

  /** Returns a function that opens the direct ways, which are closed while calls wait, as far as observers let. */
  #openShortcuts(quick: FixedSelection<Input, SyncSpace> | undefined, lines: Lines<SyncSpace>): () => void {
    const direct = this.#direct;
    if (direct === undefined) return () => {};
    const tapped = quick && new TappedCalls(quick, this.clock, this.observers);
    const open = () => {
      const { ofCalls, stopwatch } = this.observers;
      const mayTake = !lines.some || lines.barging;
      this.#direct = lines.some ? undefined : direct;
      this.#untimed = stopwatch === undefined ? this.#direct : undefined;
      this.#quick = mayTake && ofCalls === undefined ? quick : undefined;
      this.#tapped = tapped?.serves() === true && mayTake ? tapped : undefined;
      this.#shortcut.space = this.#quick === undefined ? undefined : this.#refSpace;
    };
    lines.onChange = open;
    return open;
  }

  /** The decider of an `allow`, which is to make no decision that only taps would see, but not this time. */
  get #allowDecider(): SyncDecider<Input> {
    return this.observers.sampler?.skip() === true ? this.#unobserved : this.#decider;
  }

  /** Apart, so that `allow` stays small enough to inline. */
  #allowRequested(input: Input, cost: Cost): boolean {
    const tapped = this.#tapped;
    if (tapped !== undefined && typeof cost === "number" && this.#someBlocks[0] === 0) return tapped.allow(input, cost);
    const direct = this.#untimed;
    if (direct === undefined) return this.#allowDecider.allow(input, cost);
    return this.#allowDecider.allowFixed(direct, encodeKey(direct.key(input)), cost);
  }

  #decide(input: Input, name: ObservedVerb, verb: Verb, cost: Cost): Decision {
    const direct = this.#untimed;
    if (direct === undefined) return this.#decider.decide(input, name, verb, cost);
    return this.#decider.decideFixed(direct, encodeKey(direct.key(input)), name, verb, cost);
  }

  #allowEach(inputs: readonly Input[], out: Uint8Array, cost: Cost): number {
    const batch = batchOf(this.selection, inputs, cost);
    const now = readTime(this.clock);
    return decideEach(batch, out, (request) => this.readAllowed(this.#transact("take", request, now), request, cost));
  }
}
