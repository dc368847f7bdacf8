/** Headers of a response, in order: names in their usual spelling, values as they are sent. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** For responses that replace the handler's: a cache must not answer other requests with them, uncounted. */
export const NO_STORE: readonly [string, string] = ["Cache-Control", "no-store"];

/** Its value is merged with what the response exposes already. All other headers are replaced. */
export const EXPOSE = "Access-Control-Expose-Headers";

/** How an adapter reads and sets the headers of a response. */
export interface HeaderWriter<Response> {
  get(response: Response, name: string): number | string | readonly string[] | null | undefined;
  set(response: Response, name: string, value: string): void;
}

/** Sets headers of a response. */
export function writeHeaders<Response>(response: Response, headers: HeaderList, writer: HeaderWriter<Response>): void {
  for (const [name, value] of headers) {
    const merged = name === EXPOSE ? mergedNames(writer.get(response, name), value) : value;
    writer.set(response, name, merged);
  }
}

/**
 * Adds names to a list of header names, unless it has them: several limiters in front of a handler expose the same
 * names.
 */
export function mergedNames(before: ReturnType<HeaderWriter<never>["get"]>, names: string): string {
  if (before === undefined || before === null) return names;
  const list = String(before);
  const present = new Set(list.split(",").map((name) => name.trim().toLowerCase()));
  const missing = names.split(", ").filter((name) => !present.has(name.toLowerCase()));
  return [list, ...missing].join(", ");
}
