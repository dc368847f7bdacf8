import { isPromise } from "./checks.ts";

/** A result now or later. The limiter itself does not know its kind; its users' types do. */
export type Maybe<T> = T | Promise<T>;

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

/** Works at once or later. `failed` is given an error, and throws what the caller gets. */
export function withFailure<Value>(work: () => Maybe<Value>, failed: (error: unknown) => never): Maybe<Value> {
  try {
    const done = work();
    return isPromise(done) ? done.catch(failed) : done;
  } catch (error) {
    return failed(error);
  }
}

/** What all of these are; at once if no promise is among them. */
export function all<Value>(values: readonly (Value | Promise<Value>)[]): readonly Value[] | Promise<readonly Value[]> {
  return values.some((value) => isPromise(value)) ? Promise.all(values) : (values as readonly Value[]);
}

/** Turns an error that is thrown at once into a rejection. */
export function promised<T>(work: () => T): T | Promise<never> {
  try {
    return work();
  } catch (error) {
    return rejected(error);
  }
}

/** A promise of what is done at once or later. What is thrown at once rejects. */
export function later<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    const done = work();
    return isPromise(done) ? done : Promise.resolve(done);
  } catch (error) {
    return rejected(error);
  }
}

/** A promise that rejects. */
export async function rejected(error: unknown): Promise<never> {
  throw error;
}
