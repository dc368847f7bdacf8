/** Two copies of the library know each other's. */
const EXAMPLE = Symbol.for("tollgate.keyMaker");

/**
 * Marks a function that makes key functions, so that `createLimiter` can say that it has to be called.
 *
 * @param example the call, for the error.
 */
export function markKeyMaker(maker: object, example: string): void {
  Object.defineProperty(maker, EXAMPLE, { value: example });
}

/** The example of a marked function; `undefined` for others. */
export function keyMakerExample(value: object): string | undefined {
  const example: unknown = (value as { readonly [EXAMPLE]?: unknown })[EXAMPLE];
  return typeof example === "string" ? example : undefined;
}
