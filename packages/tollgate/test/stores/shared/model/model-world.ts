import { createLimiter, type Limit } from "tollgate";
import { sharedStore } from "tollgate/shared";
import type { SyncStore } from "tollgate/store";
import { type ManualClock, manualClock } from "tollgate/testing";
import { SECRET_AT, THREADS_AT } from "../../../../src/stores/shared/memory-layout.ts";
import { SharedMemory, viewsOf } from "../../../../src/stores/shared/shared-memory.ts";
import { StoreInThread } from "../../../../src/stores/shared/store-in-thread.ts";
import { ExploredMemory } from "./explored-memory.ts";
import { Caller } from "./model-call.ts";
import { BEGIN, type Operation, type Value } from "./operation.ts";
import { Point } from "./point.ts";
import { type MayGoOn, Replay } from "./replay.ts";
import type { Scenario } from "./scenario.ts";
import { SharedWords } from "./shared-words.ts";
import { watched } from "./views.ts";

/** The name of every limiter. */
export const LIMITER = "model";
/** A fixed secret, so that keys have the same candidate slots in every run. */
export const SECRET: Int32Array = Int32Array.of(1, 2, 3, 4);

const BYTES = 2 ** 23 + 2 ** 21;

/** The memory and the threads of a scenario. */
export class World {
  readonly scenario: Scenario;
  readonly memory: ExploredMemory;
  readonly sharedWords: SharedWords;
  readonly #handle: ReturnType<typeof sharedStore>["handle"];
  readonly #watched: ReturnType<typeof watched>;
  #access: (operation: Operation) => Value;
  #count = { points: 0 };
  readonly #roots = new Map<string, Point>();
  /** The final states of keys, by the hash of the memory. */
  readonly #finalStates = new Map<string, ReadonlyMap<string, string>>();

  constructor(scenario: Scenario) {
    this.scenario = scenario;
    const store = sharedStore({ maxKeys: 1, overflow: scenario.overflow, maxBytes: BYTES });
    this.#handle = store.handle;
    const { memory } = store.handle;
    const views = viewsOf(memory instanceof SharedArrayBuffer ? memory : memory.buffer);
    views.words.set(SECRET, SECRET_AT);
    this.memory = new ExploredMemory(views);
    this.sharedWords = new SharedWords(views.words.length);
    this.#watched = watched(views, (operation) => this.#access(operation));
    this.#access = (operation) => this.memory.perform(operation);
    const first = this.#attach();
    for (const call of scenario.before) first.play(call);
  }

  /** The points of all threads before their first calls. */
  roots(): Point[] {
    return this.scenario.programs.map((_program, thread) => this.#rootOf(thread, []));
  }

  /** The number of points. */
  get points(): number {
    return this.#count.points;
  }

  /** Drops all points. */
  forget(): void {
    this.#count = { points: 0 };
    this.#roots.clear();
  }

  /** Does a thread's next step, and further steps while `mayGoOn` allows them. */
  advance(thread: number, from: Point, mayGoOn: MayGoOn): Point {
    let point = from;
    do {
      const operation = point.operation!;
      this.sharedWords.note(operation, thread);
      const found = this.memory.perform(operation);
      const next = point.after(found);
      if (next === undefined) return this.#replay(thread, point.goOn(found), mayGoOn);
      point = next;
    } while (point.operation !== undefined && mayGoOn(point.operation));
    return point;
  }

  /** The state of each key, as a new thread reads it. */
  finalState(): ReadonlyMap<string, string> {
    const { mark } = this.memory;
    const hash = this.memory.hash.join();
    const known = this.#finalStates.get(hash);
    if (known !== undefined) return known;
    this.#access = (operation) => this.memory.perform(operation);
    const state = lookAt(this.scenario, this.#attach());
    this.memory.undo(mark);
    this.#finalStates.set(hash, state);
    return state;
  }

  #replay(thread: number, from: Point, mayGoOn: MayGoOn): Point {
    const number = this.scenario.writeSlots === "same" ? 0 : thread;
    const { mark } = this.memory;
    // An attaching thread changes nothing, except for the count of threads, which gives it its number.
    this.#access = (operation) => (operation.word === THREADS_AT ? number : this.memory.perform(operation));
    const caller = this.#attach();
    const { limiters, keys, lookAtMs } = this.scenario;
    if (limiters === "new") {
      for (const version of versionsOf(this.scenario).keys()) {
        caller.play({ verb: "explain", key: keys[0]!, cost: 1, nowMs: lookAtMs[0]!, version });
      }
    }
    this.memory.undo(mark);
    const replay = new Replay(this.memory, this.sharedWords, thread, from, mayGoOn);
    this.#access = (operation) => replay.step(operation);
    const program = this.scenario.programs[thread]!;
    if (limiters === "kept") return replay.run(caller, program).turnEnd;
    const index = from.outcomes.length;
    const { turnEnd, programEnd } = replay.run(caller, program.slice(index, index + 1));
    programEnd.same = this.#rootOf(thread, programEnd.outcomes);
    return turnEnd;
  }

  #rootOf(thread: number, outcomes: readonly string[]): Point {
    const name = JSON.stringify([thread, outcomes]);
    const known = this.#roots.get(name);
    if (known !== undefined) return known;
    const isEnd = outcomes.length === this.scenario.programs[thread]!.length;
    const root = Point.root(this.#count, outcomes, isEnd ? undefined : BEGIN);
    this.#roots.set(name, root);
    return root;
  }

  #attach(): Pick<Caller, "play"> {
    const { views, atomics } = this.#watched;
    const memory = new SharedMemory(views, atomics, undefined);
    const store = new StoreInThread(memory, this.#handle);
    const clock = manualClock(0);
    return callerOver(this.scenario, store, clock);
  }
}

/** The lists of limits of a scenario: one for each version of the limiter. */
function versionsOf({ limits, versions = [] }: Scenario): readonly (readonly Limit[])[] {
  return [limits, ...versions];
}

/** The limiters of one thread over a store. */
export function callerOver(scenario: Scenario, store: SyncStore, clock: ManualClock): Caller {
  const { onChange } = scenario;
  const versions = versionsOf(scenario).map((limits) =>
    createLimiter({ name: LIMITER, limits, store, clock, ...(onChange && { onChange }) }),
  );
  return new Caller(versions, clock.set);
}

/** The state of each key of a scenario at each of its times. */
export function lookAt(
  { keys, lookAtMs }: Pick<Scenario, "keys" | "lookAtMs">,
  caller: Pick<Caller, "play">,
): Map<string, string> {
  const stateAt = (key: string, nowMs: number) => caller.play({ verb: "explain", key, cost: 1, nowMs });
  return new Map(keys.map((key) => [key, lookAtMs.map((nowMs) => stateAt(key, nowMs)).join(" | ")]));
}
