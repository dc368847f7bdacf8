/** Global, so that `combine` knows the limiters of the copies of the library for `import` and for `require`. */
const LIMITER = Symbol.for("tollgate.limiter");

/** Lets `combine` know the limiters of a class. */
export function markLimiters(prototype: object): void {
  Object.defineProperty(prototype, LIMITER, { value: true });
}

/** Whether `createLimiter` or `combine` made the value. */
export function isMadeHere(value: unknown): boolean {
  return typeof value === "object" && value !== null && LIMITER in value;
}
