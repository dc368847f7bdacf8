/** Something did not happen in time. */
export class TooLateError extends Error {
  override readonly name = "TooLateError";
}

/** @throws TooLateError if the promise has not settled after the time. */
export async function withTimeout<Value>(promise: Promise<Value>, ms: number, what: string): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TooLateError(`${what} took longer than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
