import type { Decision, Limiter } from "tollgate";

/** One call of a limiter. */
export interface Call {
  /** `allow held` calls through a handle, which caches the slot of its key. */
  readonly verb:
    | "allow"
    | "allow held"
    | "consume"
    | "peek"
    | "charge"
    | "refund"
    | "explain"
    | "reset"
    | "clear"
    | "sweep";
  /** The empty string for `clear` and `sweep`, which concern all keys. */
  readonly key: string;
  readonly cost: number;
  /** The time of the clock, in milliseconds. */
  readonly nowMs: number;
}

/** One thread's limiter. */
export class Caller {
  readonly #limiter: Limiter;
  readonly #setClock: (ms: number) => void;
  readonly #handles = new Map<string, ReturnType<Limiter["handle"]>>();

  constructor(limiter: Limiter, setClock: (ms: number) => void) {
    this.#limiter = limiter;
    this.#setClock = setClock;
  }

  /**
   * Makes a call and returns its outcome, without what need not be linearizable, such as how many keys a sweep drops.
   */
  play({ verb, key, cost, nowMs }: Call): string {
    const limiter = this.#limiter;
    this.#setClock(nowMs);
    switch (verb) {
      case "allow":
        return String(limiter.allow(key, cost));
      case "allow held":
        return String(this.#handleOf(key).allow(cost));
      case "consume":
        return shown(limiter.consume(key, cost));
      case "peek":
        return shown(limiter.peek(key, cost));
      case "charge":
        return shown(limiter.charge(key, cost));
      case "explain":
        return limiter
          .explain(key, cost)
          .map((limit) => `${limit.used} used, ${limit.allowed}, ${limit.retryAfterMs}, ${limit.resetMs}`)
          .join("; ");
      case "refund":
        limiter.refund(key, cost);
        return "";
      case "reset":
        limiter.reset(key);
        return "";
      case "clear":
        limiter.clear();
        return "";
      case "sweep":
        limiter.sweep();
        return "";
      default:
        return verb satisfies never;
    }
  }

  #handleOf(key: string): ReturnType<Limiter["handle"]> {
    const known = this.#handles.get(key);
    if (known !== undefined) return known;
    const handle = this.#limiter.handle(key);
    this.#handles.set(key, handle);
    return handle;
  }
}

/** A decision, except for whether an overflow bucket made it. */
function shown(decision: Decision): string {
  const { allowed, limit, remaining, limitRemaining, resetMs } = decision;
  const rest = decision.allowed
    ? `next ${decision.retryAfterMs}`
    : `${decision.reason}, again in ${decision.retryAfterMs}, ${decision.usedAfterRetry} used then, ${decision.violated.length} violated`;
  return `${allowed}: ${remaining} left, ${limitRemaining} of ${limit?.name}, idle in ${resetMs}, ${rest}`;
}

export function describeCall({ verb, key, cost, nowMs }: Call): string {
  return `${verb}(${[key, cost].filter((part) => part !== "").join(", ")}) at ${nowMs}`;
}
