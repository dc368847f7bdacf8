/** Headers of a response, in order: names in their usual spelling, values as they are sent. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** For responses that replace the handler's: a cache must not answer other requests with them, uncounted. */
export const NO_STORE: readonly [string, string] = ["Cache-Control", "no-store"];

/** Its value is merged with what the response exposes already. All other headers are replaced: see `mergedNames`. */
export const EXPOSE = "Access-Control-Expose-Headers";

/**
 * Adds names to a list of header names, unless it has them: several limiters in front of a handler expose the same
 * names.
 */
export function mergedNames(before: number | string | readonly string[] | null | undefined, names: string): string {
  if (before === undefined || before === null) return names;
  const list = String(before);
  const present = new Set(list.split(",").map((name) => name.trim().toLowerCase()));
  const missing = names.split(", ").filter((name) => !present.has(name.toLowerCase()));
  return [list, ...missing].join(", ");
}
