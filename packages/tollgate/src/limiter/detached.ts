import { TollgateError } from "../core/errors.ts";

/** For a method that was taken off its object, as in `const { allow } = limiter`. */
export function detachedError(owner: string, method: string): TollgateError {
  return new TollgateError("ERR_OPTION", `${method}: call it as ${owner}.${method}(…)`);
}

/** These check for themselves, because a call of them takes less time than a wrapper adds. */
const HOT: readonly string[] = ["constructor", "allow", "allowLocal", "consume"];

/** Lets the methods of a class say how to call them, where they were taken off their object. */
export function guardMethods(prototype: object, owner: string): void {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (typeof value !== "function" || HOT.includes(name)) continue;
    const method = value as (this: unknown, ...args: unknown[]) => unknown;
    const guarded = function (this: unknown, ...args: unknown[]): unknown {
      if (this === undefined) throw detachedError(owner, name);
      return method.apply(this, args);
    };
    Object.defineProperty(prototype, name, { value: guarded, writable: true, configurable: true });
  }
}
