import type { ScriptVerb } from "../script/transaction.ts";
import type { AskOptions, KeyCall } from "./key-call.ts";
import type { Waiter } from "./waiter.ts";

/** A call as it was made. */
export interface AskedCall {
  readonly verb: ScriptVerb;
  readonly keys: readonly KeyCall[];
  readonly nowUs: number;
  readonly waiter: Waiter;
  readonly options: AskOptions | undefined;
}

/** So many calls in a row have to be alone before the next one is sent at once. */
const CALM_CALLS = 8;

const SETTLED = Promise.resolve();

/**
 * Sends a call at once if no other call is pending. It waits for the current microtasks only: calls of a loop are made
 * in these, and become a batch. After calls that overlapped, calls wait for the end of their turn again, because the
 * next ones may overlap too.
 */
export class LoneCalls {
  readonly #send: (call: AskedCall) => void;
  #calm = 0;
  /** Waits for the current microtasks. */
  #waiting: AskedCall | undefined;
  /** The key of the call that waits or is in flight. */
  #name: string | undefined;
  readonly #sendWaiting = (): void => {
    const call = this.#waiting;
    if (call === undefined) return;
    this.#waiting = undefined;
    this.#send(call);
  };

  constructor(send: (call: AskedCall) => void) {
    this.#send = send;
  }

  /** How many calls of the key it has. */
  pendingOf(name: string): number {
    return name === this.#name ? 1 : 0;
  }

  /** Whether it sends the call. `isAlone`: no other call is pending. */
  accepts(call: AskedCall, isAlone: boolean): boolean {
    this.#calm = isAlone ? this.#calm + 1 : 0;
    if (this.#calm <= CALM_CALLS) return false;
    this.#waiting = call;
    this.#name = call.keys[0]!.name;
    void SETTLED.then(this.#sendWaiting);
    return true;
  }

  /** The call that was not sent yet, and will not be. */
  withdraw(): AskedCall | undefined {
    const call = this.#waiting;
    if (call !== undefined) this.ended();
    return call;
  }

  /** Notes that its call was answered or failed. */
  ended(): void {
    this.#waiting = undefined;
    this.#name = undefined;
  }

  /** Sends the call that was not sent yet. */
  flush(): void {
    this.#sendWaiting();
  }
}
