import type { Decision, Limiter, Reservation } from "tollgate";

/** One call of a limiter. */
export interface Call {
  /**
   * `allow held` calls through a handle, which caches the slot of its key. `settle`, `cancel` and `renew` concern the
   * last reservation of the thread.
   */
  readonly verb:
    | "allow"
    | "allow held"
    | "consume"
    | "peek"
    | "charge"
    | "refund"
    | "explain"
    | "reserve"
    | "settle"
    | "cancel"
    | "renew"
    | "reset"
    | "block"
    | "unblock"
    | "clear"
    | "sweep";
  /** The empty string for `clear` and `sweep`, which concern all keys. */
  readonly key: string;
  /** For `block` its milliseconds. */
  readonly cost: number;
  /** The time of the clock, in milliseconds. */
  readonly nowMs: number;
  /** Which version of the limiter is called: the first by default. */
  readonly version?: number;
}

/** One thread's limiter, in each of its versions. */
export class Caller {
  readonly #versions: readonly Limiter[];
  readonly #setClock: (ms: number) => void;
  readonly #handles = new Map<string, ReturnType<Limiter["handle"]>>();
  /** The last reservation of each thread. */
  readonly #reservations = new Map<number, Reservation>();

  constructor(versions: readonly Limiter[], setClock: (ms: number) => void) {
    this.#versions = versions;
    this.#setClock = setClock;
  }

  /**
   * Makes a thread's call and returns its outcome, without what need not be linearizable, such as how many keys a sweep
   * drops.
   */
  play({ verb, key, cost, nowMs, version = 0 }: Call, thread = 0): string {
    const limiter = this.#versions[version]!;
    this.#setClock(nowMs);
    switch (verb) {
      case "allow":
        return String(limiter.allow(key, cost));
      case "allow held":
        return String(this.#handleOf(limiter, key).allow(cost));
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
      case "reserve": {
        const reservation = limiter.reserve(key, cost);
        this.#reservations.set(thread, reservation);
        return shown(reservation.decision);
      }
      case "settle":
        this.#reservations.get(thread)?.settle(cost);
        return "";
      case "cancel":
        this.#reservations.get(thread)?.cancel();
        return "";
      case "renew":
        return String(this.#reservations.get(thread)?.renew());
      case "refund":
        limiter.refund(key, cost);
        return "";
      case "reset":
        limiter.reset(key);
        return "";
      case "block":
        limiter.block(key, cost);
        return "";
      case "unblock":
        return String(limiter.unblock(key));
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

  forgetReservations(): void {
    this.#reservations.clear();
  }

  #handleOf(limiter: Limiter, key: string): ReturnType<Limiter["handle"]> {
    const known = this.#handles.get(key);
    if (known !== undefined) return known;
    const handle = limiter.handle(key);
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

export function describeCall({ verb, key, cost, nowMs, version = 0 }: Call): string {
  return `${verb}(${[key, cost].filter((part) => part !== "").join(", ")}) by version ${version} at ${nowMs}`;
}
