import type { Cost } from "./cost.ts";
import type { Decision } from "./decision.ts";

/** A call was decided, by `allow`, `consume` or `charge`. Looking (`peek`, `explain`) is not observed. */
export interface DecisionObservation {
  readonly type: "decision";
  readonly verb: "allow" | "consume" | "charge";
  /**
   * The key that the limiter found for the input, whether it counts it under several limits, one or none. In a
   * combination the keys of all its limiters, in the order in which `combine` was given them.
   */
  readonly keys: readonly string[];
  readonly cost: Cost;
  readonly decision: Decision;
}

/** A sweep dropped keys that were as good as new. */
export interface SweepObservation {
  readonly type: "sweep";
  readonly limiter: string;
  readonly removed: number;
  readonly remaining: number;
}

/** A call was decided without the store. */
export interface DegradationObservation {
  readonly type: "degradation";
  readonly limiter: string;
  /** Why the store could not be asked. */
  readonly cause: string;
}

export type Observation = DecisionObservation | SweepObservation | DegradationObservation;

/**
 * Hears what a limiter does, synchronously; it has to be quick. What it throws about a decision or a degradation reaches
 * the caller, with the units taken. What it throws about a sweep is dropped: the call that swept may be another limiter's.
 */
export type Observer = (observation: Observation) => void;
