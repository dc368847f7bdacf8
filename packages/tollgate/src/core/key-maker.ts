/** Two copies of the library know each other's. */
const EXAMPLE = Symbol.for("tollgate.keyMaker");

/**
 * Marks a function that makes key functions, so that `createLimiter` can say that it has to be called. A definition is
 * pure with it, so bundlers can leave out what is not used.
 *
 * @param example the call, for the error.
 * @returns the function.
 */
export function keyMaker<Make extends object>(example: string, make: Make): Make {
  return Object.defineProperty(make, EXAMPLE, { value: example });
}

/** The example of a marked function; `undefined` for others. */
export function keyMakerExample(value: object): string | undefined {
  const example: unknown = (value as { readonly [EXAMPLE]?: unknown })[EXAMPLE];
  return typeof example === "string" ? example : undefined;
}
