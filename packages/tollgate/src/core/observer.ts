import type { Cost } from "./cost.ts";
import type { Decision } from "./decision.ts";

/** A call was decided, by `allow`, `consume` or `charge`. `peek` and `explain` are not observed. */
export interface DecisionObservation {
  readonly type: "decision";
  readonly verb: "allow" | "consume" | "charge";
  /**
   * The key of the input as text, even if no limit applies to it: a tuple as `["ann","/login",42]`. In a combination,
   * the keys of all its limiters in the order of `combine`.
   */
  readonly keys: readonly string[];
  readonly cost: Cost;
  readonly decision: Decision;
}

/** A sweep dropped idle keys. */
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
  /** Why the store was unavailable. */
  readonly cause: string;
}

export type Observation = DecisionObservation | SweepObservation | DegradationObservation;

/**
 * Called synchronously with what a limiter does, so it must be quick. An error that it throws about a decision or a
 * degradation reaches the caller, with the units taken. An error about a sweep is dropped, because the call that swept
 * may be another limiter's.
 */
export type Observer = (observation: Observation) => void;
