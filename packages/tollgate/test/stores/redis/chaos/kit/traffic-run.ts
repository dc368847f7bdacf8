import { Random } from "../../script/kit/random.ts";
import type { CallRecord } from "./call-record.ts";
import { LagMeter } from "./lag-meter.ts";
import type { Lane } from "./lane.ts";
import { Uncaught } from "./uncaught.ts";

/** Every so often each lane makes some calls. */
const TURN_MS = 12;
/** More than any call may take. */
const HANGS_AFTER_MS = 2_000;

/** What a test did to the server, in times of `performance.now()`. */
export interface Outage {
  /** Until then nothing was done. */
  readonly beginMs: number;
  /** Of calls that start then or later, the server answers none, */
  readonly fromMs: number;
  /** if it has ended by then. */
  readonly untilMs: number;
  /** The server answers again. */
  readonly backMs: number;
}

/** Traffic on some lanes, and what became of it. */
export class Run<Result = Outage> {
  readonly lanes: readonly Lane[];
  readonly result: Result;
  readonly lag: LagMeter;
  /** Calls that had not ended long after the last one began. */
  readonly hanging: readonly CallRecord[];
  readonly uncaught: readonly unknown[];

  private constructor(lanes: readonly Lane[], result: Result, lag: LagMeter, uncaught: readonly unknown[]) {
    this.lanes = lanes;
    this.result = result;
    this.lag = lag;
    this.uncaught = uncaught;
    this.hanging = this.calls.filter(({ endedMs }) => Number.isNaN(endedMs));
  }

  /** Keeps up the traffic while something happens. */
  static async of<Result>(lanes: readonly Lane[], happening: () => Promise<Result>): Promise<Run<Result>> {
    const lag = new LagMeter();
    const uncaught = new Uncaught();
    const random = new Random(7);
    lag.start();
    uncaught.start();
    const timer = setInterval(() => {
      for (const lane of lanes) lane.turn(random);
    }, TURN_MS);
    try {
      const result = await happening();
      clearInterval(timer);
      await Promise.race([Promise.all(lanes.map((lane) => lane.settled())), pass(HANGS_AFTER_MS)]);
      // What nobody handles is told of in a later turn.
      await pass(20);
      return new Run(lanes, result, lag, uncaught.errors);
    } finally {
      clearInterval(timer);
      lag.stop();
      uncaught.stop();
    }
  }

  get calls(): readonly CallRecord[] {
    return this.lanes.flatMap(({ calls }) => calls);
  }

  /** How much longer than it may a call took, beside the time in which this process did nothing for it. */
  overMs(call: CallRecord, timeoutMs: number): number {
    const { startedMs, endedMs } = call;
    const overMs = endedMs - startedMs - timeoutMs;
    return overMs <= 0 ? overMs : overMs - this.lagMs(call);
  }

  /** A timeout counts the time in which the event loop listened: every stall makes a call longer. */
  lagMs({ startedMs, endedMs }: CallRecord): number {
    return this.lag.sumMs(startedMs, endedMs);
  }
}

export async function pass(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
