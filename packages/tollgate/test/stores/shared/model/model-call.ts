import type { Decision, Limiter } from "tollgate";

/** One call of a limiter. */
export interface Call {
  /** `allow held` asks through a handle, which remembers where the key was. */
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
  /** Of `clear` and `sweep`, which are about all keys, the empty string. */
  readonly key: string;
  readonly cost: number;
  /** The time of the clock, in milliseconds. */
  readonly nowMs: number;
}

/** A limiter as one thread has it. */
export class Caller {
  readonly #limiter: Limiter;
  readonly #setClock: (ms: number) => void;
  readonly #handles = new Map<string, ReturnType<Limiter["handle"]>>();

  constructor(limiter: Limiter, setClock: (ms: number) => void) {
    this.#limiter = limiter;
    this.#setClock = setClock;
  }

  /** Calls, and says what came of it; what is not to be compared, as how many keys a sweep drops, is left out. */
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

/** All of it but in whose bucket it was counted. */
function shown(decision: Decision): string {
  const { allowed, limit, remaining, limitRemaining, resetMs } = decision;
  const rest = decision.allowed
    ? `next ${decision.nextMs}`
    : `${decision.reason}, again in ${decision.retryAfterMs}, ${decision.usedAfterRetry} used then, ${decision.violated.length} violated`;
  return `${allowed}: ${remaining} left, ${limitRemaining} of ${limit?.name}, new in ${resetMs}, ${rest}`;
}

export function describeCall({ verb, key, cost, nowMs }: Call): string {
  return `${verb}(${[key, cost].filter((part) => part !== "").join(", ")}) at ${nowMs}`;
}
