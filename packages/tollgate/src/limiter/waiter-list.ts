import type { PlannedSpace } from "./space-list.ts";
import type { Waiter } from "./waiter.ts";

/** Calls in the order in which they came, as a linked list: one leaves from any place in constant time. */
export class WaiterList<Space extends PlannedSpace> {
  length = 0;
  #head: Waiter<Space> | undefined = undefined;
  #tail: Waiter<Space> | undefined = undefined;

  get head(): Waiter<Space> | undefined {
    return this.#head;
  }

  get tail(): Waiter<Space> | undefined {
    return this.#tail;
  }

  /** Adds a call behind those that came before it. */
  add(waiter: Waiter<Space>): void {
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

  remove(waiter: Waiter<Space>): void {
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
  #elderOf({ order }: Waiter<Space>): Waiter<Space> | undefined {
    let elder: Waiter<Space> | undefined;
    for (let waiter = this.#head; waiter !== undefined && waiter.order <= order; waiter = waiter.next) elder = waiter;
    return elder;
  }
}
