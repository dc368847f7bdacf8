import { expectCount, monotonicMs } from "../harness/measuring.ts";
import type { Plan } from "./rows.ts";

export interface ThreadSample {
  /** The window begins for all at the same time. */
  readonly startMs: number;
  readonly endMs: number;
  readonly calls: number;
  /** With those of the warm-up. */
  readonly callsInAll: number;
  readonly admittedInAll: number;
}

export type Counted = { readonly calls: number; readonly admitted: number };

/** Millions of decisions a second of all threads together, until the last one is done. */
export function millionPerSecond(samples: readonly ThreadSample[]): number {
  const startMs = Math.min(...samples.map((sample) => sample.startMs));
  const endMs = Math.max(...samples.map((sample) => sample.endMs));
  return sumOf(samples, "calls") / (endMs - startMs) / 1_000;
}

export function sumOf(samples: readonly ThreadSample[], figure: keyof ThreadSample): number {
  return samples.reduce((sum, sample) => sum + sample[figure], 0);
}

export function expectAllAdmitted(samples: readonly ThreadSample[]): void {
  expectCount("calls admitted", sumOf(samples, "admittedInAll"), sumOf(samples, "callsInAll"));
}

/** Warms up together with the other threads, then decides with them for as long as the window is open. */
export async function inWindow(
  plan: Plan,
  barrier: Barrier,
  decideUntil: (deadlineMs: number, phase: "warm-up" | "window") => Counted | Promise<Counted>,
): Promise<ThreadSample> {
  const warmUp = await decideUntil(barrier.meet() + plan.warmUpMs, "warm-up");
  const startMs = barrier.meet();
  const { calls, admitted } = await decideUntil(startMs + plan.windowMs, "window");
  const endMs = monotonicMs();
  return { startMs, endMs, calls, callsInAll: warmUp.calls + calls, admittedInAll: warmUp.admitted + admitted };
}

const ARRIVED = 0;
const MEETINGS = 1;
const BYTES = 16;
/** The place of the last meeting's time, among numbers. */
const MEETING_MS = 1;

export class Barrier {
  readonly #threads: number;
  readonly #words: Int32Array;
  readonly #numbers: Float64Array;

  constructor(memory: SharedArrayBuffer, threads: number) {
    this.#threads = threads;
    this.#words = new Int32Array(memory);
    this.#numbers = new Float64Array(memory);
  }

  static memory(): SharedArrayBuffer {
    return new SharedArrayBuffer(BYTES);
  }

  /** Waits for all threads. Returns the time at which the last one came. */
  meet(): number {
    const meeting = Atomics.load(this.#words, MEETINGS);
    if (Atomics.add(this.#words, ARRIVED, 1) + 1 === this.#threads) {
      Atomics.store(this.#words, ARRIVED, 0);
      this.#numbers[MEETING_MS] = monotonicMs();
      Atomics.add(this.#words, MEETINGS, 1);
      Atomics.notify(this.#words, MEETINGS);
    } else {
      Atomics.wait(this.#words, MEETINGS, meeting);
    }
    // No thread writes the next time before this thread comes again.
    return this.#numbers[MEETING_MS]!;
  }
}
