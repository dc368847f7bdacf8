import { createLimiter, memoryStore } from "tollgate";
import { manualClock } from "tollgate/testing";
import { type Call, Caller } from "./model-call.ts";
import { LIMITER, lookAt } from "./model-world.ts";
import type { Scenario } from "./scenario.ts";

/** Identifies a call: the `index`-th of a thread. */
export interface CallName {
  readonly thread: number;
  readonly index: number;
}

/** The place that contains all keys. */
export const EVERYWHERE = "";

/** The outcomes of sequential calls: a limiter over a memory store. */
export class Reference {
  /** The outcome of the last call. */
  readonly outcome: string;
  readonly #scenario: Scenario;
  readonly #place: string;
  readonly #calls: readonly CallName[];
  readonly #caller: Caller;
  readonly #next = new Map<number, Reference>();
  #finalState: ReadonlyMap<string, string> | undefined;

  /** The reference after the scenario's earlier calls on a place, and then these calls. */
  constructor(scenario: Scenario, place: string, calls: readonly CallName[]) {
    this.#scenario = scenario;
    this.#place = place;
    this.#calls = calls;
    this.#caller = this.#begin();
    this.outcome = calls.map(({ thread, index }) => this.#play(scenario.programs[thread]![index]!)).at(-1) ?? "";
  }

  /** The reference after one more call. */
  after(call: CallName): Reference {
    const number = 100 * call.thread + call.index;
    const known = this.#next.get(number);
    if (known !== undefined) return known;
    const next = new Reference(this.#scenario, this.#place, [...this.#calls, call]);
    this.#next.set(number, next);
    return next;
  }

  /** The state of each key of this place. */
  finalState(): ReadonlyMap<string, string> {
    if (this.#finalState !== undefined) return this.#finalState;
    const keys = this.#scenario.keys.filter((key) => this.#isHere(key));
    const state = new Map<string, string>();
    for (const key of keys) {
      const { lookAtMs } = this.#scenario;
      state.set(key, lookAt({ keys: [this.#keyOf(key)], lookAtMs }, this.#caller).get(this.#keyOf(key))!);
    }
    this.#finalState = state;
    return state;
  }

  #begin(): Caller {
    const { limits, overflow, before, maxKeys, placeOf } = this.#scenario;
    const clock = manualClock(0);
    const store = memoryStore(placeOf === undefined && maxKeys !== undefined ? { maxKeys, overflow } : {});
    const caller = new Caller(createLimiter({ name: LIMITER, limits, store, clock }), clock.set);
    for (const call of before) {
      if (this.#isHere(call.key)) caller.play({ ...call, key: this.#keyOf(call.key) });
    }
    return caller;
  }

  #play(call: Call): string {
    return this.#caller.play({ ...call, key: this.#keyOf(call.key) });
  }

  #isHere(key: string): boolean {
    const { placeOf } = this.#scenario;
    return key === "" || placeOf === undefined || placeOf(key) === this.#place;
  }

  #keyOf(key: string): string {
    return this.#scenario.placeOf === undefined || key === "" ? key : this.#place;
  }
}
