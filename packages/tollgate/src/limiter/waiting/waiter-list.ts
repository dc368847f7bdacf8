import type { Waiter } from "./waiter.ts";

/** Calls in the order in which they came, as a linked list: one leaves from any place in constant time. */
export class WaiterList {
  length = 0;
  #head: Waiter | undefined = undefined;
  #tail: Waiter | undefined = undefined;

  get head(): Waiter | undefined {
    return this.#head;
  }

  get tail(): Waiter | undefined {
    return this.#tail;
  }

  /** Adds a call behind those that came before it. */
  add(waiter: Waiter): void {
    let previous = this.#tail;
    // Only a call that comes from another line may be older than the last.
    if (previous !== undefined && previous.order > waiter.order) previous = this.#elderOf(waiter);
    const next = previous === undefined ? this.#head : previous.next;
    waiter.previous = previous;
    waiter.next = next;
    if (previous === undefined) this.#head = waiter;
    else previous.next = waiter;
    if (next === undefined) this.#tail = waiter;
    else next.previous = waiter;
    this.length += 1;
  }

  remove(waiter: Waiter): void {
    const { previous, next } = waiter;
    waiter.previous = undefined;
    waiter.next = undefined;
    if (previous === undefined) this.#head = next;
    else previous.next = next;
    if (next === undefined) this.#tail = previous;
    else next.previous = previous;
    this.length -= 1;
  }

  /** The last call that came before another. Calls that change lines are old, so it is near the head. */
  #elderOf({ order }: Waiter): Waiter | undefined {
    let elder: Waiter | undefined;
    for (let waiter = this.#head; waiter !== undefined && waiter.order <= order; waiter = waiter.next) elder = waiter;
    return elder;
  }
}
