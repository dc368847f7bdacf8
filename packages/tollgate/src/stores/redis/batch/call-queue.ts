import { afterThisTurn } from "../../remote/event-loop.ts";
import { CIRCUIT_OPEN, OVERLOADED, type UnavailableError } from "../../remote/unavailable-error.ts";
import { slotOf } from "../cluster-slots.ts";
import type { TransactionOutcome } from "../script/decode-reply.ts";
import { SCRIPT_VERBS } from "../script/script-verbs.ts";
import type { ScriptVerb } from "../script/transaction.ts";
import type { CallFailure, ServerLink } from "../server-link.ts";
import { closedError } from "../translate-error.ts";
import type { AskOptions, KeyCall } from "./key-call.ts";
import { KeyLine } from "./key-line.ts";
import { Batch, BatchLane, type BatchOptions } from "./script-batch.ts";
import { answerWithout, type LeaseWaiter, type Waiter } from "./waiter.ts";
import { type DenialMemory, Work } from "./work.ts";

interface QueueOptions extends Omit<BatchOptions, "sendAgain" | "ended"> {
  /** Whether all keys of a script call have to be in one slot. */
  readonly bySlot: boolean;
  /** Whether the server executes batches in the order in which they are sent. */
  readonly inOrder: boolean;
  /** The most calls without an answer. */
  readonly maxPending: number;
  readonly memory: DenialMemory;
  readonly link: Pick<ServerLink, "circuit" | "deadline" | "refusal" | "send">;
}

/** The most steps in flight: a server needs about ten milliseconds for them. */
const MOST_STEPS_UNDER_WAY = 8_000;
/** One key may have this fraction of the pending calls, so that a flood of one key does not starve the others. */
const FRACTION_OF_KEY = 1 / 4;
/** After so many calls in a row that found no other call pending, the next one waits for no later call. */
const CALM_CALLS = 8;

const SETTLED = Promise.resolve();

/**
 * Collects the calls of one turn of the event loop into few script calls. Calls that exceed the steps in flight, per
 * key or in total, wait. The calls of a key keep their order.
 *
 * After calls that were each alone, the next one waits for the current microtasks only. A loop makes its calls in these
 * microtasks, so they are one batch all the same.
 */
export class CallQueue {
  readonly #options: QueueOptions;
  readonly #batchOptions: BatchOptions;
  /** The lane of all keys where there is no cluster. */
  readonly #lane = new BatchLane();
  readonly #lanesOfSlots = new Map<number, BatchLane>();
  /** Replaced when empty, because V8 retains old tables of a map, and all that these refer to. */
  #lines = new Map<string, KeyLine<Work>>();
  /** Work that may be sent: it is the next in the lines of all its keys. */
  #ready: Work[] = [];
  #pending = 0;
  #stepsUnderWay = 0;
  #isScheduled = false;
  #isFlushing = false;
  /** How many calls in a row found no other call pending. */
  #calm = 0;
  /** When the calls of this turn were made. */
  #turnMs: number | undefined;
  #isClosed = false;
  /** Set while `close` waits. */
  #drained: (() => void) | undefined;

  constructor(options: QueueOptions) {
    const { mostKeys, byLimitersClock, encode, watches, link } = options;
    const sendAgain = (batch: Batch): void => link.send(batch.encode());
    this.#options = options;
    this.#batchOptions = { mostKeys, byLimitersClock, encode, watches, sendAgain, ended: this.#ended };
  }

  /** Adds a call, or answers its caller at once if it is refused. */
  add(
    verb: ScriptVerb,
    keys: readonly KeyCall[],
    nowUs: number,
    waiter: Waiter | LeaseWaiter,
    options?: AskOptions,
  ): void {
    const refusal = this.#refusal(verb, keys);
    if (refusal !== undefined) {
      answerWithout(waiter, refusal);
      return;
    }
    const { memory, mostKeys } = this.#options;
    this.#pending += 1;
    this.#calm = this.#pending === 1 && options === undefined ? this.#calm + 1 : 0;
    const lines = new Array<KeyLine<Work>>(keys.length);
    for (let i = 0; i < keys.length; i += 1) {
      lines[i] = this.#lineOf(keys[i]!.name);
      lines[i]!.pending += 1;
    }
    const mayJoin = options === undefined && keys.length === 1 && lines[0]!.works.length > 0;
    if (mayJoin && this.#join(lines[0]!, verb, keys[0]!, nowUs, waiter)) return;
    const work = new Work({ verb, keys, lines, waiter, nowUs, sinceMs: this.#turn(), memory, options });
    let isNext = true;
    for (const line of lines) isNext = line.push(work) && isNext;
    if (isNext) this.#offer(work);
    if (this.#ready.length >= Math.max(1, mostKeys)) this.flush();
  }

  /** Sends what may be sent, and fails what waited for too long. */
  readonly flush = (): void => {
    this.#isScheduled = false;
    const { link } = this.#options;
    const nowMs = this.#turnMs ?? link.deadline.nowMs;
    this.#turnMs = undefined;
    if (this.#ready.length === 0 || this.#isFlushing) return;
    const { connecting } = link.deadline;
    this.#isFlushing = true;
    if (connecting === undefined) this.#sendReady(nowMs);
    else void this.#flushAfter(connecting);
  };

  #sendReady(nowMs: number): void {
    const { link } = this.#options;
    const batches: Batch[] = [];
    let at = 0;
    for (; at < this.#ready.length; at += 1) {
      const work = this.#ready[at]!;
      // A call of this turn was not refused when it was made.
      const refusal = work.sinceMs === nowMs ? undefined : link.refusal(this.#laneOf(work), work.sinceMs, nowMs);
      if (refusal !== undefined) this.#refuse(work, refusal);
      else if (this.#stepsUnderWay < MOST_STEPS_UNDER_WAY) this.#place(work, batches);
      else break;
    }
    // With all steps in flight, each call of a flood comes here.
    if (at > 0) this.#ready = this.#ready.slice(at);
    this.#isFlushing = false;
    for (const batch of batches) {
      batch.lane.open = undefined;
      link.send(batch.encode());
    }
  }

  async #flushAfter(connecting: Promise<void>): Promise<void> {
    await connecting;
    this.#isFlushing = false;
    this.flush();
  }

  /** Refuses calls from now on. Waits until no call is pending. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.flush();
    if (this.#pending === 0) return;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
  }

  /**
   * Why a call is not sent; `undefined` if it is. After `close` the store no longer notices lost connections, so calls
   * could count twice.
   */
  #refusal(verb: ScriptVerb, keys: readonly KeyCall[]): CallFailure | undefined {
    if (this.#isClosed) return closedError();
    if (!this.#options.link.circuit.isClosed) return CIRCUIT_OPEN;
    return this.#pending === 0 || this.#hasCapacity(verb, keys) ? undefined : OVERLOADED;
  }

  #hasCapacity(verb: ScriptVerb, keys: readonly KeyCall[]): boolean {
    const most = SCRIPT_VERBS[verb].settles ? 2 * this.#options.maxPending : this.#options.maxPending;
    if (this.#pending >= most) return false;
    const mostOfKey = Math.max(1, most * FRACTION_OF_KEY);
    return keys.every(({ name }) => (this.#lines.get(name)?.pending ?? 0) < mostOfKey);
  }

  /** Joins a call to identical work, if batching is on and the moments are equal. */
  #join(
    { last }: KeyLine<Work>,
    verb: ScriptVerb,
    call: KeyCall,
    nowUs: number,
    waiter: Waiter | LeaseWaiter,
  ): boolean {
    const { mostKeys, byLimitersClock } = this.#options;
    if (last === undefined || mostKeys < 1) return false;
    if ((byLimitersClock && last.nowUs !== nowUs) || !last.canJoin(verb, call)) return false;
    last.join(waiter, nowUs);
    return true;
  }

  /** The work is the next in the lines of all its keys. */
  #offer(work: Work): void {
    work.isReady = true;
    if (this.#ready.length === 0) this.#ready = [work];
    else this.#ready.push(work);
  }

  #refuse(work: Work, refusal: UnavailableError): void {
    work.failed(refusal);
    this.#passOn(work);
    this.#leave(work);
  }

  /** In a cluster each slot has a lane, because all keys of a script call have to be in one slot. */
  #laneOf(work: Work): BatchLane {
    if (!this.#options.bySlot) return this.#lane;
    const slot = slotOf(work.keys[0]!.name);
    const known = this.#lanesOfSlots.get(slot) ?? new BatchLane();
    this.#lanesOfSlots.set(slot, known);
    return known;
  }

  /** Adds work to the open batch of its lane. */
  #place(work: Work, batches: Batch[]): void {
    const lane = this.#laneOf(work);
    if (lane.open?.fits(work) === true) lane.open.add(work);
    else {
      lane.open = new Batch(lane, this.#batchOptions, [work]);
      batches.push(lane.open);
    }
    this.#stepsUnderWay += work.steps;
    for (const line of work.lines) line.steps += work.steps;
    this.#passOn(work);
  }

  /** Answers the calls of a batch, and lets the next ones follow. */
  readonly #ended = (works: readonly Work[], outcomes: readonly TransactionOutcome[] | Error): void => {
    for (let i = 0; i < works.length; i += 1) {
      const work = works[i]!;
      if (outcomes instanceof Error) work.failed(outcomes);
      else work.done(outcomes[i]!);
      this.#stepsUnderWay -= work.steps;
      for (const line of work.lines) line.steps -= work.steps;
      this.#leave(work);
    }
    if (this.#ready.length > 0) this.#turn();
    // Observers may call limiters, so they are notified after all callers were answered.
    if (outcomes instanceof Error) return;
    for (let i = 0; i < outcomes.length; i += 1) {
      const { moved } = outcomes[i]!;
      if (moved !== undefined) works[i]!.notifyMoves(moved);
    }
  };

  /** The calls of a work were answered. Offers the works behind it. */
  #leave({ calls, lines }: Work): void {
    this.#pending -= calls;
    for (const line of lines) {
      line.pending -= calls;
      if (line.works.length > 0) this.#offerNext(line);
      if (line.pending > 0) continue;
      // To delete the last entry takes longer than to begin a new map.
      if (this.#lines.size === 1) this.#lines = new Map();
      else this.#lines.delete(line.name);
    }
    if (this.#pending === 0) this.#drained?.();
  }

  /** Removes a work from its lines, in which it is the first, and offers the works behind it. */
  #passOn(work: Work): void {
    work.isReady = false;
    for (const line of work.lines) line.works.shift();
    for (const line of work.lines) if (line.works.length > 0) this.#offerNext(line);
  }

  #offerNext({ next }: KeyLine<Work>): void {
    if (next?.isReady === false && next.lines.every((line) => line.next === next)) this.#offer(next);
  }

  #lineOf(name: string): KeyLine<Work> {
    const known = this.#lines.get(name);
    if (known !== undefined) return known;
    const line = new KeyLine<Work>(name, this.#options.inOrder ? "kept" : "any");
    this.#lines.set(name, line);
    return line;
  }

  /** The time of this turn's calls. Schedules a flush at the end of the turn. */
  #turn(): number {
    this.#turnMs ??= this.#options.link.deadline.nowMs;
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      if (this.#calm > CALM_CALLS) void SETTLED.then(this.flush);
      else afterThisTurn(this.flush);
    }
    return this.#turnMs;
  }
}
