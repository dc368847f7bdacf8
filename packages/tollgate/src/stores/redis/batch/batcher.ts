import { slotOf } from "../slots.ts";
import { afterThisTurn } from "./after-this-turn.ts";
import { AllowWork } from "./allow-work.ts";
import { Batch } from "./batch.ts";
import type { CallEnd } from "./call-end.ts";
import type { KeyCall, Work } from "./work.ts";

/** Where everything goes that need not be sorted by slot. */
const ANYWHERE = -1;
/** However few keys they concern, so many transactions keep a server busy for milliseconds, in which it answers nobody else. */
const MOST_WORKS = 1_024;

/** Gathers what is asked in one turn of the event loop into few calls: one, or in a cluster one for each slot. */
export class Batcher {
  readonly #send: (batch: Batch) => void;
  readonly #mostKeys: number;
  readonly #bySlot: boolean;
  readonly #open = new Map<number, Batch>();
  #isScheduled = false;

  constructor(mostKeys: number, bySlot: boolean, send: (batch: Batch) => void) {
    this.#send = send;
    this.#mostKeys = mostKeys;
    this.#bySlot = bySlot;
  }

  add(work: Work, nowUs: number): void {
    const first = work.keys[0]!;
    const slot = this.#slotOf(first);
    this.#add(work, slot, this.#batchFor(slot, first, nowUs), nowUs);
  }

  /** A call that takes, of which only the answer is wanted. */
  allow(call: KeyCall, nowUs: number, end: CallEnd): Promise<boolean> {
    const slot = this.#slotOf(call);
    const batch = this.#batchFor(slot, call, nowUs);
    const joined = batch.join(call, nowUs);
    if (joined !== undefined) return joined;
    const work = new AllowWork(call, nowUs, end);
    const answer = work.join();
    this.#add(work, slot, batch, nowUs);
    return answer;
  }

  /** Sends what has been gathered. */
  flush(): void {
    const batches = [...this.#open.values()];
    this.#open.clear();
    for (const batch of batches) this.#send(batch);
  }

  #add(work: Work, slot: number, batch: Batch, nowUs: number): void {
    batch.add(work, nowUs);
    if (batch.size < this.#mostKeys && batch.works.length < MOST_WORKS) return;
    this.#open.delete(slot);
    this.#send(batch);
  }

  #slotOf({ name }: KeyCall): number {
    return this.#bySlot ? slotOf(name) : ANYWHERE;
  }

  #batchFor(slot: number, { space }: KeyCall, nowUs: number): Batch {
    const open = this.#open.get(slot);
    if (open?.takes(space.clock, nowUs)) return open;
    if (open !== undefined) this.#send(open);
    const batch = new Batch(space.clock, nowUs);
    this.#open.set(slot, batch);
    this.#schedule();
    return batch;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    afterThisTurn(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }
}
