import type { LimitState, Wait } from "./limit-state.ts";
import { larger, smaller } from "./whole-numbers.ts";

/** One limit's part in a call, with its state after the call. */
export interface Part {
  /** Its place among all limits of the call. The limits of the first limiter come first. */
  readonly place: number;
  readonly capacity: bigint;
  readonly unit: string;
  readonly shadow: boolean;
  readonly cost: bigint;
  /** Whether the cost conformed before anything was taken. */
  readonly conformed: boolean;
  readonly after: LimitState;
}

interface Common {
  /** The place of the binding limit. */
  readonly binding: number | undefined;
  readonly remaining: bigint | "unlimited";
  /** Under the binding limit, above its capacity in debt. */
  readonly used: bigint | undefined;
  readonly resetUs: bigint;
  /** Places of the limits in shadow mode that did not conform. */
  readonly shadowDenied: readonly number[];
}

export interface AllowedOutcome extends Common {
  readonly allowed: true;
}

export interface DeniedOutcome extends Common {
  readonly allowed: false;
  readonly reason: "exhausted" | "cost-over-capacity";
  readonly retryAfterUs: Wait;
  readonly usedAfterRetry: bigint;
}

export type Outcome = AllowedOutcome | DeniedOutcome;

export function outcomeOf(parts: readonly Part[], nowUs: bigint): Outcome {
  const shadowDenied = parts.filter((part) => part.shadow && !part.conformed).map((part) => part.place);
  const enforcing = parts.filter((part) => !part.shadow);
  const [first, ...others] = enforcing;
  if (first === undefined) {
    return {
      allowed: true,
      binding: undefined,
      remaining: "unlimited",
      used: undefined,
      resetUs: 0n,
      shadowDenied,
    };
  }
  const allowed = enforcing.every((part) => part.conformed);
  const binds = allowed ? smallerFraction : longerWait;
  const binding = others.reduce((best, part) => (binds(part, best, nowUs) ? part : best), first);
  const common = {
    binding: binding.place,
    remaining: enforcing
      .filter((part) => part.unit === binding.unit)
      .map((part) => remainingOf(part, nowUs))
      .reduce(smaller),
    used: binding.after.used(nowUs),
    resetUs: binding.after.resetUs(nowUs),
    shadowDenied,
  };
  if (allowed) return { allowed, ...common };
  const retryAfterUs = binding.after.waitUs(nowUs, binding.cost);
  if (retryAfterUs === "never") {
    return {
      allowed,
      reason: "cost-over-capacity",
      retryAfterUs,
      usedAfterRetry: 0n,
      ...common,
    };
  }
  const usedAfterRetry = binding.after.used(nowUs + retryAfterUs);
  return {
    allowed,
    reason: "exhausted",
    retryAfterUs,
    usedAfterRetry,
    ...common,
  };
}

/** Whole units left, never below 0. */
export function remainingOf(part: Pick<Part, "after" | "capacity">, nowUs: bigint): bigint {
  return larger(part.capacity - part.after.used(nowUs), 0n);
}

/** Compares without a division: a/b < c/d exactly when a·d < c·b. */
function smallerFraction(part: Part, than: Part, nowUs: bigint): boolean {
  return remainingOf(part, nowUs) * than.capacity < remainingOf(than, nowUs) * part.capacity;
}

function longerWait(part: Part, than: Part, nowUs: bigint): boolean {
  const thanUs = than.after.waitUs(nowUs, than.cost);
  if (thanUs === "never") return false;
  const waitUs = part.after.waitUs(nowUs, part.cost);
  return waitUs === "never" || waitUs > thanUs;
}
