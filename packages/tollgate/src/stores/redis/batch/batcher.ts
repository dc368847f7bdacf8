import { OVERLOADED } from "../failure/outage.ts";
import type { TransactionOutcome } from "../script/decode-reply.ts";
import type { ScriptVerb } from "../script/encode-call.ts";
import { slotOf } from "../slots.ts";
import { afterThisTurn } from "./after-this-turn.ts";
import { Batch } from "./batch.ts";
import type { DenialMemory } from "./denial-memory.ts";
import type { AskOptions, KeyCall } from "./key-call.ts";
import { KeyLine } from "./key-line.ts";
import type { Waiter } from "./waiter.ts";
import { Work } from "./work.ts";

/** Stands for the slot where everything may go out together. */
const ANYWHERE = -1;
/** So many steps are under way at most: a server needs about ten milliseconds for them. */
const MOST_STEPS_UNDER_WAY = 8_000;
/** One key may have this part of the calls that may wait, so that a flood of its calls leaves room for others. */
const PART_OF_KEY = 1 / 4;
/** Refunds and charges settle calls that were admitted: they find room when takes find none. */
const SETTLING: ReadonlySet<ScriptVerb> = new Set(["charge", "refund"]);

export interface BatcherOptions {
  /** How many keys go out in one call; below 1: each call alone. */
  readonly mostKeys: number;
  /** Whether keys of one call have to share a slot. */
  readonly bySlot: boolean;
  /** Whether a call is decided at the moment of its limiter's clock: then only calls of one moment join. */
  readonly time: "server" | "client";
  /** How many calls may wait for their answer. */
  readonly maxPending: number;
  /** Whether calls may go out: not before the client has connected. Where they may not, `flush` has to be called again. */
  readonly mayStart: () => boolean;
  readonly nowMs: () => number;
  readonly memory: DenialMemory;
  /** Sends a batch once, and calls `returned` when its answer came or will not come. */
  readonly send: (batch: Batch) => void;
}

/**
 * Gathers what is asked in one turn of the event loop into few calls, and holds back what would be too much at a time: of one key, and in
 * all. What is asked of a key keeps its order.
 */
export class Batcher {
  readonly #options: BatcherOptions;
  readonly #lines = new Map<string, KeyLine<Work>>();
  /** What may go out: it is the next in the lines of all its keys. */
  readonly #ready = new Set<Work>();
  #pending = 0;
  #stepsUnderWay = 0;
  #isScheduled = false;
  /** When the calls of this turn came. */
  #turnMs: number | undefined;

  constructor(options: BatcherOptions) {
    this.#options = options;
  }

  /** How many calls have no answer yet. */
  get pending(): number {
    return this.#pending;
  }

  /** Whether some call for this key has not gone out. */
  isWaiting(name: string): boolean {
    return this.#lines.get(name)?.hasWaiting === true;
  }

  ask(verb: ScriptVerb, keys: readonly KeyCall[], nowUs: number, waiter: Waiter, options?: AskOptions): void {
    if (!this.#hasRoom(verb, keys)) {
      waiter.failed(OVERLOADED);
      return;
    }
    this.#pending += 1;
    if (options === undefined && keys.length === 1 && this.#join(verb, keys[0]!, nowUs, waiter)) return;
    const lines = keys.map(({ name }) => this.#lineOf(name));
    const { memory } = this.#options;
    const work = new Work({ verb, keys, lines, nowUs, sinceMs: this.#turn(), memory, options });
    work.join(waiter, nowUs);
    for (const line of lines) {
      line.pending += 1;
      line.push(work);
    }
    this.#offer(work);
    if (this.#ready.size >= Math.max(1, this.#options.mostKeys)) this.flush();
  }

  /** Sends what may go out. */
  flush(): void {
    this.#turnMs = undefined;
    if (this.#ready.size === 0 || !this.#options.mayStart()) return;
    const open = new Map<number, Batch>();
    for (const work of this.#ready) {
      if (this.#stepsUnderWay >= MOST_STEPS_UNDER_WAY) break;
      this.#ready.delete(work);
      this.#place(work, open);
    }
    for (const batch of open.values()) this.#options.send(batch);
  }

  /** Takes a batch back whose works have been answered, or failed. */
  returned({ works, parts }: Batch): void {
    for (const [i, work] of works.entries()) {
      const steps = parts[i]!;
      this.#stepsUnderWay -= steps;
      work.returned();
      for (const line of work.lines) line.returned(steps);
    }
    for (const work of works) this.#goOn(work);
    if (this.#ready.size > 0) this.#turn();
  }

  /** Answers the calls of a work, as far as they have gone out. */
  done(work: Work, outcome: TransactionOutcome): void {
    const before = work.pending;
    work.done(outcome);
    this.#answered(work, before);
  }

  fail(work: Work, error: unknown): void {
    const before = work.pending;
    this.#ready.delete(work);
    work.failed(error);
    this.#answered(work, before);
  }

  /** Fails what has not gone out, or not all of it, as far as it is chosen. */
  failWaiting(error: unknown, chooses: (work: Work) => boolean): void {
    for (const line of this.#lines.values()) {
      if (!line.hasWaiting) continue;
      for (const work of [...line.waiting()]) {
        if (!chooses(work)) continue;
        this.fail(work, error);
        this.#goOn(work);
      }
    }
  }

  slotOf(work: Work): number {
    return this.#options.bySlot ? slotOf(work.keys[0]!.name) : ANYWHERE;
  }

  #hasRoom(verb: ScriptVerb, keys: readonly KeyCall[]): boolean {
    const most = SETTLING.has(verb) ? 2 * this.#options.maxPending : this.#options.maxPending;
    if (this.#pending >= most) return false;
    const mostOfKey = Math.max(1, most * PART_OF_KEY);
    for (const { name } of keys) if ((this.#lines.get(name)?.pending ?? 0) >= mostOfKey) return false;
    return true;
  }

  /** Where each call goes alone none joins; where each has its own moment only those of the same do. */
  #join(verb: ScriptVerb, call: KeyCall, nowUs: number, waiter: Waiter): boolean {
    const line = this.#lines.get(call.name);
    const last = line?.last;
    const { mostKeys, time } = this.#options;
    if (line === undefined || last === undefined || mostKeys < 1) return false;
    if ((time === "client" && last.nowUs !== nowUs) || !last.takes(verb, call)) return false;
    line.pending += 1;
    last.join(waiter, nowUs);
    return true;
  }

  #offer(work: Work): void {
    if (work.isUnderWay) return;
    for (const line of work.lines) if (line.next !== work) return;
    this.#ready.add(work);
  }

  #place(work: Work, open: Map<number, Batch>): void {
    const steps = work.cut(leastLeft(work.lines));
    const slot = this.slotOf(work);
    let batch = open.get(slot);
    if (batch?.hasRoomFor(work) !== true) {
      if (batch !== undefined) this.#options.send(batch);
      batch = new Batch(slot, this.#options.mostKeys, this.#options.time);
      open.set(slot, batch);
    }
    batch.add(work, steps);
    this.#stepsUnderWay += steps;
    const isWhole = work.isLook || work.pending === work.times;
    for (const line of work.lines) {
      line.remove(work);
      line.sent(steps);
      if (!isWhole) line.holdFor(work);
      else if (line.next !== undefined) this.#offer(line.next);
    }
  }

  /** The rest of a work, or what waits behind it. */
  #goOn(work: Work): void {
    for (const line of work.lines) {
      if (work.pending === 0) line.remove(work);
      if (line.next !== undefined) this.#offer(line.next);
      this.#letGoIfIdle(line);
    }
  }

  #answered(work: Work, before: number): void {
    const count = before - work.pending;
    this.#pending -= count;
    for (const line of work.lines) line.pending -= count;
  }

  #lineOf(name: string): KeyLine<Work> {
    const known = this.#lines.get(name);
    if (known !== undefined) return known;
    const line = new KeyLine<Work>(name);
    this.#lines.set(name, line);
    return line;
  }

  #letGoIfIdle(line: KeyLine<Work>): void {
    if (line.isIdle && line.pending === 0) this.#lines.delete(line.name);
  }

  /** When this turn's calls came; at its end they go out. */
  #turn(): number {
    this.#turnMs ??= this.#options.nowMs();
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      afterThisTurn(() => {
        this.#isScheduled = false;
        this.flush();
      });
    }
    return this.#turnMs;
  }
}

function leastLeft(lines: readonly KeyLine<Work>[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const { stepsLeft } of lines) least = Math.min(least, stepsLeft);
  return least;
}
