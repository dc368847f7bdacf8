import { isPromise } from "./checks.ts";

/** Maps a value at once, or a promise's value later. Most requests need no promise. */
export function mapMaybeAsync<Value, Result>(
  value: Value | PromiseLike<Value>,
  map: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return isPromise(value) ? mapLater(value, map) : map(value);
}

async function mapLater<Value, Result>(
  value: PromiseLike<Value>,
  map: (value: Value) => Result | Promise<Result>,
): Promise<Result> {
  return map(await value);
}
