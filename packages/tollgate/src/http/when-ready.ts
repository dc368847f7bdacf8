/** Goes on with a value at once where it is there, and later where it is a promise: most requests need no promise. */
export function whenReady<Value, Result>(
  value: Value | PromiseLike<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return isPromise(value) ? afterwards(value, next) : next(value);
}

async function afterwards<Value, Result>(
  value: PromiseLike<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Promise<Result> {
  return next(await value);
}

export function isPromise<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
