import type { Random } from "../script/kit/random.ts";
import { NOW_US } from "../script/kit/script-call.ts";

/** What a timeline needs of a process. */
export interface TimedProcess {
  /** It does nothing before this moment. */
  readonly stoppedUntilUs: number;
  /** Whether it does nothing more. */
  readonly hasEnded: boolean;
  readonly wallMs: number;
  readonly steadyMs: number;
  setTimeout(work: () => void, ms: number): number;
  clearTimeout(timer: unknown): boolean;
}

interface SimEvent {
  readonly atUs: number;
  readonly order: number;
  readonly work: () => void;
  /** The process that does the work, when it runs. */
  readonly by: TimedProcess | undefined;
  /** What has to be known before. */
  readonly after: (() => Promise<unknown>) | undefined;
}

/** What the server decided: its number, and when. */
export interface Decided {
  readonly order: number;
  readonly atUs: number;
}

/**
 * What happens in a simulation, one event after another, in microseconds. While a process works, `Date`, `performance`,
 * `setTimeout` and `Math.random` are those of the process. So the shipped code of many processes runs in this one.
 */
export class Timeline {
  nowUs = NOW_US;
  /** The reply that is handled now. */
  decided: Decided | undefined;
  readonly random: Random;
  readonly #events: SimEvent[] = [];
  #order = 0;
  #isRunning = false;
  #running: TimedProcess | undefined;

  private constructor(random: Random) {
    this.random = random;
  }

  /** Runs what a function plans, until the moment that it returns. */
  static async run(random: Random, plan: (timeline: Timeline) => number): Promise<void> {
    const timeline = new Timeline(random);
    const restore = timeline.#replaceGlobals();
    try {
      await timeline.#runUntil(plan(timeline));
    } finally {
      restore();
    }
  }

  add(atUs: number, work: () => void, by?: TimedProcess, after?: () => Promise<unknown>): void {
    const event = { atUs: Math.max(this.nowUs, Math.round(atUs)), order: this.#order, work, by, after };
    this.#order += 1;
    let [low, high] = [0, this.#isRunning ? this.#events.length : 0];
    while (low < high) {
      const middle = (low + high) >>> 1;
      // The next event is the last of the list.
      if (comesAfter(this.#events[middle]!, event) > 0) low = middle + 1;
      else high = middle;
    }
    if (this.#isRunning) this.#events.splice(low, 0, event);
    else this.#events.push(event);
  }

  /** Does work with the clocks of a process that starts. */
  start<T>(process: TimedProcess, work: () => T): T {
    const before = this.#running;
    this.#running = process;
    const made = work();
    this.#running = before;
    return made;
  }

  async #runUntil(endUs: number): Promise<void> {
    this.#events.sort((one, other) => comesAfter(other, one));
    this.#isRunning = true;
    for (let event = this.#events.pop(); event !== undefined && event.atUs <= endUs; event = this.#events.pop()) {
      this.nowUs = event.atUs;
      await this.#happen(event);
    }
  }

  async #happen({ work, by, after }: SimEvent): Promise<void> {
    if (by?.hasEnded === true) return;
    if (by !== undefined && this.nowUs < by.stoppedUntilUs) {
      this.add(by.stoppedUntilUs, work, by, after);
      return;
    }
    if (after !== undefined) await after();
    this.#running = by;
    work();
    // The store works on after this turn of the event loop, and after that one.
    for (let turns = by === undefined ? 0 : 3; turns > 0; turns -= 1) await new Promise(setImmediate);
    this.#running = undefined;
    this.decided = undefined;
  }

  #replaceGlobals(): () => void {
    const real = { setTimeout, clearTimeout, now: Date.now, random: Math.random };
    const steady = performance.now.bind(performance);
    const timeout = (work: () => void, ms = 0) => this.#running?.setTimeout(work, ms) ?? real.setTimeout(work, ms);
    const clear = (timer: unknown) => this.#running?.clearTimeout(timer) ?? real.clearTimeout(timer as number);
    Object.assign(globalThis, { setTimeout: timeout, clearTimeout: clear });
    Date.now = () => this.#running?.wallMs ?? real.now();
    Math.random = () => (this.#running === undefined ? real.random() : this.random.part());
    performance.now = () => this.#running?.steadyMs ?? steady();
    return () => {
      Object.assign(globalThis, { setTimeout: real.setTimeout, clearTimeout: real.clearTimeout });
      Object.assign(Date, { now: real.now });
      Object.assign(Math, { random: real.random });
      Reflect.deleteProperty(performance, "now");
    };
  }
}

/** Above 0 if one event comes after the other. */
function comesAfter(one: SimEvent, other: SimEvent): number {
  return one.atUs === other.atUs ? one.order - other.order : one.atUs - other.atUs;
}
