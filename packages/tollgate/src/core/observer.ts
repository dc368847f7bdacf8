import { isPromise } from "./checks.ts";
import type { Cost } from "./cost.ts";
import type { Block, Decision } from "./decision.ts";
import { show } from "./errors.ts";
import type { Limit } from "./limits/limit.ts";
import { warnOnce } from "./warnings.ts";

/**
 * A call was decided, by `allow`, `consume`, `charge`, `wait` or `reserve`. A call that waits is observed once,
 * when it ends. `peek` and `explain` are not observed.
 */
export interface DecisionObservation {
  readonly type: "decision";
  readonly verb: "allow" | "consume" | "charge" | "wait" | "reserve";
  /**
   * The key of the input as text, even if no limit applies to it: a tuple as `["ann","/login",42]`. In a combination,
   * the keys of all its limiters in the order of `combine`.
   */
  readonly keys: readonly string[];
  readonly cost: Cost;
  readonly decision: Decision;
  /** Set for a `charge` that was given the decision that it adds to. It is part of that call. */
  readonly corrects?: true;
}

/** A call was decided without the store. */
export interface DegradationObservation {
  readonly type: "degradation";
  readonly limiter: string;
  /** Why the store was unavailable. */
  readonly cause: string;
}

/** A key's counts moved from limits under which it was counted before to other limits of the same names. */
export interface ChangeObservation {
  readonly type: "change";
  readonly limiter: string;
  /** The key as text. */
  readonly key: string;
  readonly from: readonly Limit[];
  readonly to: readonly Limit[];
}

/** A key was blocked, by `block` or by a call that exhausted a limit with `blockFor`, or unblocked by `unblock`. */
export interface BlockObservation {
  readonly type: "block";
  /** The name of the limiter. In a combination, if a call began the block, that of the limiter whose limit binds. */
  readonly limiter: string;
  /** As the `keys` of a decision. */
  readonly keys: readonly string[];
  /** `undefined` if the key was unblocked. */
  readonly block: Block | undefined;
}

export type Observation = DecisionObservation | DegradationObservation | ChangeObservation | BlockObservation;

/**
 * Called synchronously with what a limiter does, so it must be quick. An error that it throws, or rejects with, never
 * reaches the caller: the decision is returned and its units stay taken. The first such error of the process is written
 * to stderr.
 */
export type Observer = (observation: Observation) => void;

/** Notifies an observer. Never throws: `failed` gets the error of the observer. */
export function notify<One>(
  observe: (observation: One) => void,
  observation: One,
  failed: (error: unknown) => void = warnOfObserver,
): void {
  try {
    // An async function is an observer, too.
    const result: unknown = observe(observation);
    if (isPromise(result)) void result.then(undefined, failed);
  } catch (error) {
    failed(error);
  }
}

/** Says it on stderr, once in this process. */
export function warnOfObserver(error: unknown): void {
  const got = error instanceof Error ? `${error.name}: ${show(error.message)}` : show(error);
  warnOnce("observer-error", `observe: expected a function that does not throw, got ${got}; no call failed`);
}
