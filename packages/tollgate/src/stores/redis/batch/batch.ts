import type { Clock } from "../../../core/clock.ts";
import { AllowWork } from "./allow-work.ts";
import type { KeyCall, Work } from "./work.ts";

/** Work that goes out as one call, in the order in which it came. */
export class Batch {
  /** Whose time it is decided for, where that is not the server's. */
  readonly #clock: Clock;
  readonly works: Work[] = [];
  /** The keys of all of it, and for each the work that more calls may join: nothing else came for the key since. */
  readonly #names = new Map<string, AllowWork | undefined>();
  #nowUs: number;

  constructor(clock: Clock, nowUs: number) {
    this.#clock = clock;
    this.#nowUs = nowUs;
  }

  /** The moment of the newest call. */
  get nowUs(): number {
    return this.#nowUs;
  }

  /** How many keys it has. */
  get size(): number {
    return this.#names.size;
  }

  /** Whether a call at this moment may be decided together with those that are here. */
  takes(clock: Clock, nowUs: number): boolean {
    return clock === this.#clock && nowUs >= this.#nowUs;
  }

  add(work: Work, nowUs: number): void {
    this.#nowUs = nowUs;
    this.works.push(work);
    const joinable = work instanceof AllowWork ? work : undefined;
    for (const { name } of work.keys) this.#names.set(name, joinable);
  }

  /** The answer to a call that joins those before it; nothing where it has to come as work of its own. */
  join(call: KeyCall, nowUs: number): Promise<boolean> | undefined {
    const work = this.#names.get(call.name);
    if (work === undefined || !work.takes(call)) return undefined;
    this.#nowUs = nowUs;
    return work.join();
  }
}
