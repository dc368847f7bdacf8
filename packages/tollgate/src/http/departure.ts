import type { WaitSignal } from "../limiter/waiting/wait-options.ts";

/** Aborts when a client has gone. */
export type Departure = WaitSignal;

/** The reason of a wait that ends because its client has gone. */
const DEPARTED = Symbol("the client has gone");

/** Listens only while a call waits: an `AbortController` for each request would cost more than the decision. */
export function departureBy(isAborted: () => boolean, listen: (listener: () => void) => () => void): Departure {
  let stop = (): void => {};
  return {
    get aborted() {
      return isAborted();
    },
    reason: DEPARTED,
    addEventListener: (_type, listener) => {
      stop = listen(listener);
    },
    removeEventListener: () => stop(),
  };
}

/** Whether an error says that a call waits no more because its client has gone. */
export function saysDeparted(error: unknown, signal: Departure | undefined): boolean {
  return signal?.reason !== undefined && error === signal.reason;
}
