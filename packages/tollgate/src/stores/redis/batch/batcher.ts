import { slotOf } from "../cluster-slots.ts";
import { afterThisTurn } from "../event-loop.ts";
import { OVERLOADED } from "../failure/unavailable-error.ts";
import { LinkedSet } from "../linked-set.ts";
import type { TransactionOutcome } from "../script/decode-reply.ts";
import { SCRIPT_VERBS } from "../script/script-verbs.ts";
import type { ScriptVerb } from "../script/transaction.ts";
import type { BatcherOptions } from "./batcher-options.ts";
import type { AskOptions, KeyCall } from "./key-call.ts";
import { KeyLine, leastLeft } from "./key-line.ts";
import { type AskedCall, LoneCalls } from "./lone-calls.ts";
import { Batch } from "./script-batch.ts";
import type { Waiter } from "./waiter.ts";
import { Work } from "./work.ts";

const NO_LINES: readonly KeyLine<Work>[] = [];
/** The slot of all keys where there is no cluster. */
const ANYWHERE = -1;
/** The most steps in flight: a server needs about ten milliseconds for them. */
const MOST_STEPS_UNDER_WAY = 8_000;
/** One key may have this fraction of the pending calls, so that a flood of one key does not starve the others. */
const FRACTION_OF_KEY = 1 / 4;

/**
 * Collects the calls of one turn of the event loop into few script calls. Calls that exceed the steps in flight, per
 * key or in total, wait in a queue. The calls of a key keep their order.
 */
export class Batcher {
  readonly #options: BatcherOptions;
  /** A new map whenever it is empty: `LinkedSet` says why. */
  #lines = new Map<string, KeyLine<Work>>();
  /** Work that may be sent: it is the next in the lines of all its keys. */
  readonly #ready = new LinkedSet<Work>();
  readonly #lone = new LoneCalls((call) => this.#sendAlone(call));
  #pending = 0;
  #stepsUnderWay = 0;
  #isScheduled = false;
  /** When the calls of this turn were made. */
  #turnMs: number | undefined;

  constructor(options: BatcherOptions) {
    this.#options = options;
  }

  /** How many calls have no answer yet. */
  get pending(): number {
    return this.#pending;
  }

  ask(verb: ScriptVerb, keys: readonly KeyCall[], nowUs: number, waiter: Waiter, options?: AskOptions): void {
    if (!this.#hasCapacity(verb, keys)) {
      waiter.failed(OVERLOADED);
      return;
    }
    this.#pending += 1;
    const call = { verb, keys, nowUs, waiter, options };
    if (this.#lone.accepts(call, this.#isAlone(call))) return;
    this.#queueLone();
    this.#queue(call);
  }

  #queue({ verb, keys, nowUs, waiter, options }: AskedCall): void {
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

  /** Sends what may be sent. */
  flush(): void {
    this.#lone.flush();
    this.#turnMs = undefined;
    if (this.#ready.size === 0 || !this.#options.mayStart()) return;
    const open = new Map<number, Batch>();
    for (let work = this.#ready.first; work !== undefined; work = this.#ready.first) {
      if (this.#stepsUnderWay >= MOST_STEPS_UNDER_WAY) break;
      this.#ready.delete(work);
      this.#place(work, open);
    }
    for (const batch of open.values()) this.#options.send(batch);
  }

  /** Ends a batch whose works were answered or failed. */
  returned({ works, steps: counts }: Batch): void {
    for (const [i, work] of works.entries()) {
      const steps = counts[i]!;
      this.#stepsUnderWay -= steps;
      work.returned();
      for (const line of work.lines) line.returned(steps);
    }
    for (const work of works) this.#continue(work);
    if (this.#ready.size > 0) this.#turn();
  }

  /** Answers the calls of a work that were sent. */
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

  /** Fails the chosen works that were not sent, or not completely. */
  failWaiting(error: unknown, chooses: (work: Work) => boolean): void {
    this.#queueLone();
    for (const line of this.#lines.values()) {
      if (!line.hasWaiting) continue;
      for (const work of [...line.waiting()]) {
        if (!chooses(work)) continue;
        this.fail(work, error);
        this.#continue(work);
      }
    }
  }

  slotOf(work: Work): number {
    return this.#options.bySlot ? slotOf(work.keys[0]!.name) : ANYWHERE;
  }

  #hasCapacity(verb: ScriptVerb, keys: readonly KeyCall[]): boolean {
    const most = SCRIPT_VERBS[verb].settles ? 2 * this.#options.maxPending : this.#options.maxPending;
    if (this.#pending === 0) return true;
    if (this.#pending >= most) return false;
    const mostOfKey = Math.max(1, most * FRACTION_OF_KEY);
    for (const { name } of keys) {
      const pendingOfKey = (this.#lines.get(name)?.pending ?? 0) + this.#lone.pendingOf(name);
      if (pendingOfKey >= mostOfKey) return false;
    }
    return true;
  }

  /** Whether the call, which is in `pending`, is the only one, and may be sent now. */
  #isAlone({ keys, options }: AskedCall): boolean {
    return this.#pending === 1 && keys.length === 1 && options === undefined && this.#options.mayStart();
  }

  /** The lone call joins the queue, because others came before it was sent. */
  #queueLone(): void {
    const call = this.#lone.withdraw();
    if (call !== undefined) this.#queue(call);
  }

  #sendAlone({ verb, keys, nowUs, waiter }: AskedCall): void {
    const { memory, nowMs, deliver } = this.#options;
    const sinceMs = nowMs();
    const work = new Work({ verb, keys, lines: NO_LINES, nowUs, sinceMs, memory, options: undefined });
    work.join(waiter, nowUs);
    work.begin();
    deliver(this.slotOf(work), sinceMs, [work], () => this.#lone.ended());
  }

  /** Joins a call to identical work, if batching is on and the moments are equal. */
  #join(verb: ScriptVerb, call: KeyCall, nowUs: number, waiter: Waiter): boolean {
    const line = this.#lines.get(call.name);
    const last = line?.last;
    const { mostKeys, byLimitersClock } = this.#options;
    if (line === undefined || last === undefined || mostKeys < 1) return false;
    if ((byLimitersClock && last.nowUs !== nowUs) || !last.canJoin(verb, call)) return false;
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
    if (batch?.fits(work) !== true) {
      if (batch !== undefined) this.#options.send(batch);
      batch = new Batch(slot, this.#options.mostKeys, this.#options.byLimitersClock);
      open.set(slot, batch);
    }
    batch.add(work, steps);
    this.#stepsUnderWay += steps;
    const isWhole = work.isReadOnly || work.pending === work.times;
    for (const line of work.lines) {
      line.remove(work);
      line.sent(steps);
      if (!isWhole) line.blockUntilDone(work);
      else if (line.next !== undefined) this.#offer(line.next);
    }
  }

  /** Offers the rest of a work, or the next work behind it. */
  #continue(work: Work): void {
    for (const line of work.lines) {
      if (work.pending === 0) line.remove(work);
      if (line.next !== undefined) this.#offer(line.next);
      this.#removeIfIdle(line);
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

  #removeIfIdle(line: KeyLine<Work>): void {
    if (line.isIdle && line.pending === 0) this.#lines.delete(line.name);
    if (this.#lines.size === 0) this.#lines = new Map();
  }

  /** The time of this turn's calls. Schedules a flush at the end of the turn. */
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
