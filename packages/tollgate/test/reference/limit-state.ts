/** A wait in microseconds, or the knowledge that no wait helps. */
export type Wait = bigint | "never";

/**
 * One key under one limit. States are values: what changes a state returns another one, so a denial changes nothing
 * because nobody asked for a new state, and a peek is a take whose result is not kept.
 */
export interface LimitState {
  /** Whether `cost` more units may be taken now. */
  conforms(nowUs: bigint, cost: bigint): boolean;
  /** Takes the units whether or not they conform. */
  take(nowUs: bigint, cost: bigint): LimitState;
  refund(nowUs: bigint, cost: bigint): LimitState;
  /** The least time after which `cost` conforms if nothing else arrives; 0: it does now. */
  waitUs(nowUs: bigint, cost: bigint): Wait;
  /** Whole units that count against the limit, rounded up; above the capacity in debt. */
  used(nowUs: bigint): bigint;
  /** How long until no unit counts any more. */
  resetUs(nowUs: bigint): bigint;
}

/** One limit at rest: what a key never seen looks like under it. */
export interface LimitRules {
  readonly capacity: bigint;
  /** Whether the first touch of a key is recorded even when it takes nothing. */
  readonly recordsFirstTouch: boolean;
  /** How long a key is remembered once nothing counts any more. */
  readonly idleTtlUs: bigint;
  fresh(nowUs: bigint): LimitState;
}
