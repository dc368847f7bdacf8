import { Random } from "../../script/kit/random.ts";
import type { CallRecord } from "./call-record.ts";
import { LagMeter } from "./lag-meter.ts";
import type { Lane } from "./lane.ts";
import { Uncaught } from "./uncaught.ts";

/** The time between two turns, in which each lane starts calls. */
const TURN_MS = 12;
/** A call that takes so much longer than its timeout hangs. */
const HANGS_AFTER_MS = 2_000;
/** `npm run chaos` has other calls in each round. */
const SEED = Number(process.env["CHAOS_SEED"] ?? 7);

/** The times of an incident, by `performance.now()`. */
export interface Incident {
  /** The incident begins. */
  readonly beginMs: number;
  /** The server replies to no call that starts from here on, */
  readonly fromMs: number;
  /** and ends by here. */
  readonly untilMs: number;
  /** The server replies again. */
  readonly backMs: number;
}

/** Traffic on lanes, and its results. */
export class Run<Result = Incident> {
  readonly lanes: readonly Lane[];
  readonly result: Result;
  readonly lag: LagMeter;
  /** Calls that had not ended long after the last call started. */
  readonly hanging: readonly CallRecord[];
  readonly uncaught: readonly unknown[];

  private constructor(lanes: readonly Lane[], result: Result, lag: LagMeter, uncaught: readonly unknown[]) {
    this.lanes = lanes;
    this.result = result;
    this.lag = lag;
    this.uncaught = uncaught;
    this.hanging = this.calls.filter(({ endedMs }) => Number.isNaN(endedMs));
  }

  /** Runs the traffic during an incident. */
  static async of<Result>(lanes: readonly Lane[], happening: () => Promise<Result>): Promise<Run<Result>> {
    const lag = new LagMeter();
    const uncaught = new Uncaught();
    const random = new Random(SEED);
    lag.start();
    uncaught.start();
    let timer: NodeJS.Timeout;
    // A process that is late gets longer pauses: traffic that fills its processor would make it late for ever.
    const plan = (delayMs: number): void => {
      const dueMs = performance.now() + delayMs;
      timer = setTimeout(() => {
        for (const lane of lanes) lane.turn(random);
        plan(TURN_MS + Math.max(0, performance.now() - dueMs));
      }, delayMs);
    };
    plan(TURN_MS);
    try {
      const result = await happening();
      clearTimeout(timer!);
      const longestMs = Math.max(...lanes.map(({ timeoutMs }) => timeoutMs)) + HANGS_AFTER_MS;
      await Promise.race([Promise.all(lanes.map((lane) => lane.settled())), pass(longestMs)]);
      // Unhandled rejections are reported in a later turn.
      await pass(20);
      return new Run(lanes, result, lag, uncaught.errors);
    } finally {
      clearTimeout(timer!);
      lag.stop();
      uncaught.stop();
    }
  }

  get calls(): readonly CallRecord[] {
    return this.lanes.flatMap(({ calls }) => calls);
  }

  /** How much longer than its timeout a call took, without the lag of this process. */
  overMs(call: CallRecord, timeoutMs: number): number {
    const { startedMs, endedMs } = call;
    const overMs = endedMs - startedMs - timeoutMs;
    return overMs <= 0 ? overMs : overMs - this.lagMs(call);
  }

  /** Timeouts count listening time only, so each stall prolongs a call. */
  lagMs({ startedMs, endedMs }: CallRecord): number {
    return this.lag.sumMs(startedMs, endedMs);
  }
}

export async function pass(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
