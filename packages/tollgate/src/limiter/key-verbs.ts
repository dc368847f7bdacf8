import { type Cost, copyCost } from "../core/cost.ts";
import { later, type Maybe } from "../core/maybe-async.ts";
import { detachedError } from "./detached.ts";
import { KeyHandle } from "./key-handle.ts";
import { unlessAborted } from "./waiting/abort-listeners.ts";
import type { WaitSignal } from "./waiting/wait-options.ts";

/** What `KeyHandle` has of methods: each is a verb. */
export type KeyVerb = Exclude<keyof KeyHandle, "selected">;

/** These return a promise over any store, so that their errors reject. */
const LATER_VERBS: readonly KeyVerb[] = ["wait", "acquire", "run"];

export function isLaterVerb(verb: KeyVerb): boolean {
  return LATER_VERBS.includes(verb);
}

/** The first argument of these is no cost. */
const WITHOUT_COST: readonly KeyVerb[] = ["run", "block"];

const NAMES = Object.entries(Object.getOwnPropertyDescriptors(KeyHandle.prototype))
  .filter(([name, { value }]) => typeof value === "function" && name !== "constructor")
  .map(([name]) => name as KeyVerb);

/** Calls a verb of a handle, or of one that a look-up has yet to find. Then the promise rejects with what it throws. */
export function callVerb(handle: Maybe<KeyHandle>, verb: KeyVerb, args: readonly unknown[]): unknown {
  if (!("then" in handle)) return (handle[verb] as (...args: readonly unknown[]) => unknown)(...args);
  const own = ownArgs(verb, args);
  return unlessAborted(handle, signalOf(args)).then((known) => callVerb(known, verb, own));
}

/** Arguments with a cost of their own: the caller may change its object before a look-up is over. */
export function ownArgs(verb: KeyVerb, args: readonly unknown[]): readonly unknown[] {
  if (WITHOUT_COST.includes(verb) || args[0] === undefined) return args;
  return [copyCost(args[0] as Cost), ...args.slice(1)];
}

/** A verb that waits ends with its signal, although the look-up does not. */
function signalOf(args: readonly unknown[]): WaitSignal | undefined {
  const options = args.at(-1) as { readonly signal?: WaitSignal } | undefined;
  const signal = typeof options === "object" && options !== null ? options.signal : undefined;
  return typeof signal?.addEventListener === "function" ? signal : undefined;
}

/** Gives a class the verbs that `call` forwards. */
export function forwardVerbs(
  prototype: object,
  owner: string,
  call: (self: never, verb: KeyVerb, args: readonly unknown[]) => unknown,
): void {
  for (const verb of NAMES) {
    if (Object.hasOwn(prototype, verb)) continue;
    const value = function (this: undefined, ...args: readonly unknown[]): unknown {
      if (this === undefined) throw detachedError(owner, verb);
      return call(this, verb, args);
    };
    Object.defineProperty(prototype, verb, { value, writable: true, configurable: true });
  }
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
    forwardVerbs(LaterHandle.prototype, "handle", (self: LaterHandle, verb, args) =>
      later(() => callVerb(self.#handle, verb, args)),
    );
  }
}
