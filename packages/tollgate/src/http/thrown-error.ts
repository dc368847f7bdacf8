/**
 * What was thrown, as an error: frameworks take nothing and zero, and Express also "route" and "router", for no error.
 * They would let the request pass, and Koa would never answer it.
 */
export function toError(thrown: unknown): Error {
  const isObject = typeof thrown === "object" && thrown !== null;
  return isObject ? (thrown as Error) : new Error("what the limiter threw is no object", { cause: thrown });
}

/** Hands over what was thrown as an error. */
export function handOver(thrown: unknown, next: (error: Error) => void): void {
  next(toError(thrown));
}
