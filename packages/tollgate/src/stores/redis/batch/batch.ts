import { StepCount } from "../script/steps.ts";
import type { Work } from "./work.ts";

/** So many steps keep a server busy for about two milliseconds, in which it answers no other client. */
const MOST_STEPS = 2_000;

/** Work that goes out as one call, in the order in which it came. */
export class Batch {
  /** The slot of all its keys in a cluster. */
  readonly slot: number;
  readonly works: Work[] = [];
  /** How many steps each work is. */
  readonly parts: number[] = [];
  readonly #names = new Set<string>();
  readonly #mostKeys: number;
  readonly #steps: StepCount;
  #sinceMs = Number.POSITIVE_INFINITY;

  /** `mostKeys` below 1: every work alone. */
  constructor(slot: number, mostKeys: number, time: "server" | "client") {
    this.slot = slot;
    this.#mostKeys = mostKeys;
    this.#steps = new StepCount(time);
  }

  /** When the oldest of its calls came. */
  get sinceMs(): number {
    return this.#sinceMs;
  }

  hasRoomFor(work: Work): boolean {
    if (this.works.length === 0) return true;
    if (this.#steps.totalWith(work) > MOST_STEPS) return false;
    let more = 0;
    for (const { name } of work.keys) if (!this.#names.has(name)) more += 1;
    return this.#names.size + more <= this.#mostKeys;
  }

  add(work: Work, steps: number): void {
    this.works.push(work);
    this.parts.push(steps);
    for (const { name } of work.keys) this.#names.add(name);
    this.#steps.add(work);
    this.#sinceMs = Math.min(this.#sinceMs, work.sinceMs);
  }
}
