import { memoryStore } from "tollgate";
import { manualClock } from "tollgate/testing";
import type { Call, Caller } from "./model-call.ts";
import { callerOver, lookAt } from "./model-world.ts";
import type { Scenario } from "./scenario.ts";

/** Identifies a call: the `index`-th of a thread. */
export interface CallName {
  readonly thread: number;
  readonly index: number;
}

/** The place that contains all keys. */
export const EVERYWHERE = "";

/** The thread of the calls before: it has ended, and its reservations stay open. */
const BEFORE = -1;

/** The outcomes of sequential calls: a limiter over a memory store. */
export class Reference {
  /** The outcome of the last call. */
  readonly outcome: string;
  readonly #limiter: ReferenceLimiter;
  readonly #calls: readonly CallName[];
  readonly #next = new Map<number, Reference>();
  #finalState: ReadonlyMap<string, string> | undefined;

  private constructor(limiter: ReferenceLimiter, calls: readonly CallName[]) {
    this.#limiter = limiter;
    this.#calls = calls;
    this.outcome = limiter.goTo(calls);
  }

  /** The reference after the scenario's earlier calls on a place. */
  static beginning(scenario: Scenario, place: string): Reference {
    return new Reference(new ReferenceLimiter(scenario, place), []);
  }

  /** The reference after one more call. */
  after(call: CallName): Reference {
    const number = 100 * call.thread + call.index;
    const known = this.#next.get(number);
    if (known !== undefined) return known;
    const next = new Reference(this.#limiter, [...this.#calls, call]);
    this.#next.set(number, next);
    return next;
  }

  /** The state of each key of this place. */
  finalState(): ReadonlyMap<string, string> {
    if (this.#finalState !== undefined) return this.#finalState;
    this.#limiter.goTo(this.#calls);
    this.#finalState = this.#limiter.state();
    return this.#finalState;
  }
}

/** Makes the calls of all references of a place. A new limiter for each reference would take most of the time. */
class ReferenceLimiter {
  readonly #scenario: Scenario;
  readonly #place: string;
  readonly #caller: Caller;
  /** The calls since the beginning; `undefined` if the next call needs a new beginning. */
  #done: readonly CallName[] | undefined;

  constructor(scenario: Scenario, place: string) {
    this.#scenario = scenario;
    this.#place = place;
    const { overflow, maxKeys, placeOf } = scenario;
    const clock = manualClock(0);
    // Without sweeps: clocks go back to moments at which a dropped key would count.
    const store = memoryStore({ sweepInterval: "1d", ...(placeOf === undefined && { maxKeys, overflow }) });
    this.#caller = callerOver(scenario, store, clock);
  }

  /** Comes to the state after these calls. Returns the outcome of the last one, if it was not done before. */
  goTo(calls: readonly CallName[]): string {
    const isSame = ({ thread, index }: CallName, i: number) => thread === calls[i]?.thread && index === calls[i].index;
    if (this.#done?.every(isSame) !== true) this.#done = this.#begin();
    const { programs } = this.#scenario;
    const outcomes = calls
      .slice(this.#done.length)
      .map(({ thread, index }) => this.#play(programs[thread]![index]!, thread));
    this.#done = calls;
    return outcomes.at(-1) ?? "";
  }

  /** The state of each key of this place. To look at it moves the clock on. */
  state(): ReadonlyMap<string, string> {
    this.#done = undefined;
    const { keys, lookAtMs } = this.#scenario;
    const here = keys.filter((key) => this.#isHere(key));
    return new Map(
      here.map((key) => {
        const name = this.#keyOf(key);
        return [key, lookAt({ keys: [name], lookAtMs }, this.#caller).get(name)!];
      }),
    );
  }

  #begin(): readonly CallName[] {
    this.#caller.forgetReservations();
    this.#caller.play({ verb: "clear", key: "", cost: 1, nowMs: 0 });
    // Blocks stay when counts are cleared.
    for (const key of this.#scenario.keys) {
      this.#caller.play({ verb: "unblock", key: this.#keyOf(key), cost: 1, nowMs: 0 });
    }
    for (const call of this.#scenario.before) if (this.#isHere(call.key)) this.#play(call, BEFORE);
    return [];
  }

  #play(call: Call, thread: number): string {
    return this.#caller.play({ ...call, key: this.#keyOf(call.key) }, thread);
  }

  #isHere(key: string): boolean {
    const { placeOf } = this.#scenario;
    return key === "" || placeOf === undefined || placeOf(key) === this.#place;
  }

  #keyOf(key: string): string {
    return this.#scenario.placeOf === undefined || key === "" ? key : this.#place;
  }
}
