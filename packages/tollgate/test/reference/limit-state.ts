/** A wait in microseconds, or "never" if no wait helps. */
export type Wait = bigint | "never";

/**
 * One key under one limit. States are immutable values: `take` and `refund` return new ones. So a denial changes
 * nothing, and a peek is a take whose result is dropped.
 */
export interface LimitState {
  /** Whether `cost` more units may be taken now. */
  conforms(nowUs: bigint, cost: bigint): boolean;
  /** Takes the units whether or not they conform. */
  take(nowUs: bigint, cost: bigint): LimitState;
  refund(nowUs: bigint, cost: bigint): LimitState;
  /** Gives back units of one take, which leave at `untilUs` if nothing else is taken. */
  giveBack(nowUs: bigint, units: bigint, untilUs: bigint): LimitState;
  /** The least time after which `cost` conforms if no other call arrives; 0 if it conforms now. */
  waitUs(nowUs: bigint, cost: bigint): Wait;
  /** Whole units that count against the limit, rounded up; above the capacity in debt. */
  used(nowUs: bigint): bigint;
  /** How long until no unit counts any more. */
  resetUs(nowUs: bigint): bigint;
}

/** One limit without a key: it creates the state of a new key. */
export interface LimitRules {
  readonly capacity: bigint;
  /** Whether the first touch of a key is recorded even when it takes nothing. */
  readonly recordsFirstTouch: boolean;
  /** How long a key is kept after the last unit has stopped counting. */
  readonly idleTtlUs: bigint;
  fresh(nowUs: bigint): LimitState;
}
