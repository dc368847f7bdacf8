/**
 * Hands over what was thrown as an error: frameworks take nothing and zero, and Express also "route" and "router", for no error, and
 * would let the request pass.
 */
export function handOver(thrown: unknown, next: (error: Error) => void): void {
  const isObject = typeof thrown === "object" && thrown !== null;
  next(isObject ? (thrown as Error) : new Error("what the limiter threw is no object", { cause: thrown }));
}
