/** Fields of a response, in order: names in their usual spelling, values as they are sent. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** An answer that nobody counted is worth nothing to anybody else. */
export const NO_STORE: readonly [string, string] = ["Cache-Control", "no-store"];

export const EXPOSE = "Access-Control-Expose-Headers";

/** Where an adapter writes fields. */
export interface HeaderTarget {
  set(name: string, value: string): void;
  append(name: string, value: string): void;
}

/** Writes fields: in place of others of the same name, but what is exposed is exposed besides. */
export function writeHeaders(headers: HeaderList, target: HeaderTarget): void {
  for (const [name, value] of headers) {
    if (name === EXPOSE) target.append(name, value);
    else target.set(name, value);
  }
}
