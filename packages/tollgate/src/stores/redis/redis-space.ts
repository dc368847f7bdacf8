import { type Clock, readUs } from "../../core/clock.ts";
import type { Plan } from "../../core/plan.ts";
import type { Report } from "../../core/report.ts";
import type { AsyncSpace, LimiterContext } from "../../core/store.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { Fallback } from "../remote/without-server.ts";
import type { KeyCall, KeySpace } from "./batch/key-call.ts";
import type { KeyScan } from "./key-scan.ts";
import { type EncodedPlan, encodePlan } from "./script/encode-plan.ts";
import { listId } from "./script/row.ts";
import { headOf, tagOf } from "./space-keys.ts";

/** The operations of the store that a space delegates to. */
export interface StoreOperations {
  readonly scan: KeyScan;
  take(call: KeyCall, nowUs: number): Promise<boolean>;
  take<T>(call: KeyCall, nowUs: number, read: (report: Report) => T): Promise<T>;
  drop(call: KeyCall, nowUs: number): Promise<void>;
  clear(space: RedisSpace, nowUs: number): Promise<void>;
}

interface RedisSpaceParts {
  readonly store: StoreOperations;
  readonly plan: Plan;
  /** The limiter's name, the same on all nodes. */
  readonly limiter: string;
  readonly prefix: string;
  readonly fallback: Fallback;
  readonly context: LimiterContext;
  readonly byLimitersClock: boolean;
}

/** One plan's counts in the keys of its limiter on the server. */
export class RedisSpace implements AsyncSpace, KeySpace {
  readonly plan: Plan;
  readonly fallback: Fallback;
  readonly context: LimiterContext;
  /** What the names of all keys of the limiter begin with on the server. */
  readonly head: string;
  readonly #store: StoreOperations;
  readonly #byLimitersClock: boolean;
  /** With separate counts the list's name, otherwise empty. */
  readonly #layout: string;
  readonly #encoded: EncodedPlan;

  constructor({ store, plan, limiter, prefix, fallback, context, byLimitersClock }: RedisSpaceParts) {
    this.plan = plan;
    this.fallback = fallback;
    this.context = context;
    this.#store = store;
    this.head = headOf(prefix, limiter);
    this.#byLimitersClock = byLimitersClock;
    this.#encoded = encodePlan(plan, () => timeOf(context.clock));
    this.#layout = plan.onChange === "separate" ? listId(plan) : "";
  }

  /** All plans of a limiter share its keys. */
  get keysOf(): string {
    return this.head;
  }

  get clock(): Clock {
    return this.context.clock;
  }

  /** A key with one checked cost per limit. */
  call(key: string, costs: readonly number[]): KeyCall {
    const name = this.head + tagOf(key);
    return { space: this, key, name, countsName: this.#layout + name, plan: this.#encoded, costs };
  }

  /** A key by its name on the server. */
  callByName(name: string): KeyCall {
    return { space: this, key: "", name, countsName: name, plan: this.#encoded, costs: [] };
  }

  allow(key: string, costs: readonly number[], nowUs: number): Promise<boolean> {
    return this.#store.take(this.call(key, costs), nowUs);
  }

  consume<T>(key: string, costs: readonly number[], nowUs: number, read: (report: Report) => T): Promise<T> {
    return this.#store.take(this.call(key, costs), nowUs, read);
  }

  drop(key: string): Promise<void> {
    const nowUs = this.#nowUs;
    return this.#store.drop(this.call(key, []), nowUs);
  }

  clear(): Promise<void> {
    return this.#store.clear(this, this.#nowUs);
  }

  async size(): Promise<number> {
    return this.#store.scan.count(this);
  }

  async sweep(now: TimeCell): Promise<number> {
    return this.#store.scan.dropIdle(this, now[0]!);
  }

  release(): void {
    if (typeof this.fallback === "object") this.fallback.space.release();
  }

  /** The server's time is not known here. */
  get #nowUs(): number {
    return this.#byLimitersClock ? readUs(this.clock) : 0;
  }
}

/** A plain cost as one cost per limit. */
export function costsOf({ countsNumber }: Plan, cost: number): readonly number[] {
  return countsNumber.map((counts) => (counts ? cost : 0));
}

/** A guess at the server's time. A clock that fails says so when a call reads it. */
function timeOf(clock: Clock): number {
  try {
    return readUs(clock);
  } catch {
    return 0;
  }
}
