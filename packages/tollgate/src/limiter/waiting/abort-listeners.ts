import { rejected } from "../../core/maybe-async.ts";
import type { WaitSignal } from "./wait-options.ts";

/** What is to be called when a signal aborts. */
interface Listeners {
  readonly calls: Set<() => void>;
  readonly abort: () => void;
}

/** One listener for each signal, however many calls wait with it: Node warns of more than ten. */
const LISTENERS = new WeakMap<WaitSignal, Listeners>();

/** Calls back when a signal aborts. Returns a function that ends this. */
export function onAbort(signal: WaitSignal, call: () => void): () => void {
  const listeners = LISTENERS.get(signal) ?? listenTo(signal);
  listeners.calls.add(call);
  return () => {
    listeners.calls.delete(call);
    if (listeners.calls.size > 0) return;
    signal.removeEventListener("abort", listeners.abort);
    if (LISTENERS.get(signal) === listeners) LISTENERS.delete(signal);
  };
}

function listenTo(signal: WaitSignal): Listeners {
  const calls = new Set<() => void>();
  const abort = () => {
    for (const call of [...calls]) call();
  };
  const listeners = { calls, abort };
  LISTENERS.set(signal, listeners);
  signal.addEventListener("abort", abort);
  return listeners;
}

/** The result, or the signal's reason as soon as it aborts. */
export async function unlessAborted<T>(result: Promise<T>, signal: WaitSignal | undefined): Promise<T> {
  if (signal === undefined) return result;
  return new Promise<T>((resolve, reject) => {
    const stop = () => resolve(rejected(signal.reason));
    const end = onAbort(signal, stop);
    if (signal.aborted) stop();
    result.then(resolve, reject).finally(end);
  });
}
