import { TollgateError } from "../core/errors.ts";

/** For a method that was taken off its object, as in `const { allow } = limiter`. */
export function detachedError(owner: string, method: string): TollgateError {
  return new TollgateError("ERR_OPTION", `${method}: call it as ${owner}.${method}(…)`);
}

/** These check for themselves, because a call of them takes less time than a wrapper adds. */
const HOT: readonly string[] = ["constructor", "allow", "allowLocal", "consume"];

type Args = readonly unknown[];

/** Lets the methods of a class say how to call them, where they were taken off their object. */
export function guardMethods(prototype: object, owner: string): void {
  for (const [name, method] of methodsOf(prototype))
    if (!HOT.includes(name)) define(prototype, owner, name, (self, args) => method.apply(self, [...args]));
}

/** Gives `target` the methods of another class that it has not itself: `call` does what they do. */
export function forwardMethods<Self>(
  target: object,
  source: object,
  owner: string,
  call: (self: Self, name: string, args: Args) => unknown,
): void {
  for (const [name] of methodsOf(source))
    if (!Object.hasOwn(target, name)) define(target, owner, name, (self, args) => call(self as Self, name, args));
}

/** Calls a method of an object, or of its class on another object. */
export function callMethod(owner: object, name: string, args: Args, self: object = owner): unknown {
  return (owner as Readonly<Record<string, (...args: Args) => unknown>>)[name]!.apply(self, [...args]);
}

function methodsOf(prototype: object): (readonly [string, (this: unknown, ...args: Args) => unknown])[] {
  return Object.entries(Object.getOwnPropertyDescriptors(prototype)).flatMap(([name, { value }]) =>
    typeof value === "function" ? [[name, value]] : [],
  );
}

function define(target: object, owner: string, name: string, call: (self: unknown, args: Args) => unknown): void {
  const value = function (this: unknown, ...args: Args): unknown {
    if (this === undefined) throw detachedError(owner, name);
    return call(this, args);
  };
  Object.defineProperty(target, name, { value, writable: true, configurable: true });
}
