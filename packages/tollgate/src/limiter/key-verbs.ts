import { type Cost, copyCost } from "../core/cost.ts";
import { later, type Maybe } from "../core/maybe-async.ts";
import { KeyHandle } from "./key-handle.ts";
import { callMethod, forwardMethods } from "./methods.ts";
import { unlessAborted } from "./waiting/abort-listeners.ts";
import type { WaitSignal } from "./waiting/wait-options.ts";

/** These return a promise over any store, so that their errors reject. */
export const LATER_VERBS: readonly string[] = ["wait", "acquire", "run"];

/** The first argument of these is no cost. */
const WITHOUT_COST: readonly string[] = ["run", "block"];

/**
 * Calls a verb of a handle that may have to be looked up. All errors reject. The call has a cost of its own: the caller
 * may change its object before a look-up is over, and a cost that is wrong begins no look-up.
 */
export function callLater(find: () => Maybe<KeyHandle>, verb: string, args: readonly unknown[]): Promise<unknown> {
  return later(() => {
    const isCost = !WITHOUT_COST.includes(verb) && args[0] !== undefined;
    const own = isCost ? [copyCost(args[0] as Cost), ...args.slice(1)] : args;
    const handle = find();
    if (!("then" in handle)) return callMethod(handle, verb, own);
    return unlessAborted(handle, signalOf(args)).then((known) => callMethod(known, verb, own));
  });
}

/** A verb that waits ends with its signal, although the look-up does not. */
function signalOf(args: readonly unknown[]): WaitSignal | undefined {
  const options = args.at(-1) as { readonly signal?: WaitSignal } | undefined;
  const signal = typeof options === "object" && options !== null ? options.signal : undefined;
  return typeof signal?.addEventListener === "function" ? signal : undefined;
}

/** A handle of an asynchronous limiter: errors reject, also those of a look-up. */
export class LaterHandle {
  readonly #handle: Maybe<KeyHandle>;

  constructor(handle: Maybe<KeyHandle>) {
    this.#handle = handle;
    // Its calls reject. A handle without calls must not end the process.
    if ("then" in handle) handle.catch(() => {});
  }

  static {
    forwardMethods(LaterHandle.prototype, KeyHandle.prototype, "handle", (self: LaterHandle, verb, args) =>
      callLater(() => self.#handle, verb, args),
    );
  }
}
