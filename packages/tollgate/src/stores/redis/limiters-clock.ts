/** `Symbol.for`, because tests load the sources beside the built package. */
const OPTION: unique symbol = Symbol.for("tollgate.by-limiters-clock");

/**
 * For tests of this package: options of a store in Redis whose limiters' clocks decide, in place of the server's. So a
 * manual clock decides, and the keys live a day longer than it says.
 *
 * Users have no such option, because the clocks of nodes differ.
 */
export const BY_LIMITERS_CLOCK: { readonly [OPTION]: true } = { [OPTION]: true };

/** Whether options have those of `BY_LIMITERS_CLOCK`. */
export function isByLimitersClock(options: object): boolean {
  return OPTION in options;
}
