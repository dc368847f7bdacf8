import { explain, type Model } from "./model.ts";

/** A call that waits in the model. */
export interface ModelWaiter {
  readonly id: number;
  readonly cost: bigint;
  /** `undefined` without a bound. */
  readonly deadlineUs: bigint | undefined;
}

/** How a wait ended. */
export interface ModelEnd {
  readonly id: number;
  readonly end: "served" | "denied";
  readonly atUs: bigint;
}

/**
 * The calls that wait for one key of a model, first come, first served: plain and slow. It tries the head alone, at the
 * moment at which its cost conforms.
 */
export class ModelLine {
  readonly ends: ModelEnd[] = [];
  waiters: ModelWaiter[] = [];
  readonly #model: Model;
  readonly #key: string;

  constructor(model: Model, key: string) {
    this.#model = model;
    this.#key = key;
  }

  /** How long a call waits that comes now, after all others. `"never"` if it cannot pass. */
  waitUs(cost: bigint, nowUs: bigint): bigint | "never" {
    return this.#pretend(nowUs, () => {
      const lastUs = this.#serveAll(nowUs);
      const waitUs = this.#headWaitUs(cost, lastUs);
      return waitUs === "never" ? waitUs : lastUs + waitUs - nowUs;
    });
  }

  join(waiter: ModelWaiter, nowUs: bigint): void {
    const waitUs = this.waitUs(waiter.cost, nowUs);
    const isLate = waitUs === "never" || (waiter.deadlineUs !== undefined && nowUs + waitUs > waiter.deadlineUs);
    if (isLate) this.ends.push({ id: waiter.id, end: "denied", atUs: nowUs });
    else this.waiters.push(waiter);
    this.serve(nowUs);
  }

  abort(id: number, nowUs: bigint): void {
    this.waiters = this.waiters.filter((waiter) => waiter.id !== id);
    this.serve(nowUs);
  }

  /** Serves the head while it conforms, up to a moment, each at the very moment at which it does. */
  serve(untilUs: bigint, fromUs: bigint = untilUs): void {
    let nowUs = fromUs;
    for (let head = this.waiters[0]; head !== undefined; head = this.waiters[0]) {
      const waitUs = this.#headWaitUs(head.cost, nowUs);
      if (waitUs === "never" || nowUs + waitUs > untilUs) return;
      nowUs += waitUs;
      this.#model.apply("take", this.#key, nowUs, head.cost);
      this.waiters.shift();
      this.ends.push({ id: head.id, end: "served", atUs: nowUs });
    }
  }

  /** Denies the calls that would be served after their deadline, one after another. */
  review(nowUs: bigint): void {
    const late = this.#pretend(nowUs, () => {
      const found: ModelWaiter[] = [];
      let atUs = nowUs;
      for (const waiter of this.waiters) {
        const waitUs = this.#headWaitUs(waiter.cost, atUs);
        if (waitUs === "never") throw new Error("expected a cost that passes some day");
        if (waiter.deadlineUs !== undefined && atUs + waitUs > waiter.deadlineUs) found.push(waiter);
        else {
          atUs += waitUs;
          this.#model.apply("take", this.#key, atUs, waiter.cost);
        }
      }
      return found;
    });
    this.waiters = this.waiters.filter((waiter) => !late.includes(waiter));
    for (const { id } of late) this.ends.push({ id, end: "denied", atUs: nowUs });
    this.serve(nowUs);
  }

  #serveAll(nowUs: bigint): bigint {
    let atUs = nowUs;
    for (const { cost } of this.waiters) {
      const waitUs = this.#headWaitUs(cost, atUs);
      if (waitUs === "never") throw new Error("expected a cost that passes some day");
      atUs += waitUs;
      this.#model.apply("take", this.#key, atUs, cost);
    }
    return atUs;
  }

  #headWaitUs(cost: bigint, nowUs: bigint): bigint | "never" {
    const calls = [{ model: this.#model, key: this.#key, cost }];
    let longest = 0n;
    for (const { retryAfterUs } of explain(calls, nowUs)) {
      if (retryAfterUs === "never") return retryAfterUs;
      if (retryAfterUs > longest) longest = retryAfterUs;
    }
    return longest;
  }

  /** What `work` finds out, without its changes of the key. */
  #pretend<T>(nowUs: bigint, work: () => T): T {
    const before = this.#model.read(this.#key, nowUs);
    const result = work();
    this.#model.reset(this.#key);
    for (const { place, state, absent } of before) if (!absent) this.#model.write(this.#key, place, state);
    return result;
  }
}
