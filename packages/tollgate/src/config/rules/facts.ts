/** Values by name: a function, or an object such as `request.headers` of Node. Names of headers are in lower case. */
export type NamedValues =
  | ((name: string) => string | undefined)
  | { readonly [name: string]: string | readonly string[] | undefined };

/** What rules ask of a request. All of it may be missing. */
export interface Facts {
  /** The client's address, which the caller has found: `clientIp` of the adapters does. */
  readonly ip?: string | undefined;
  readonly method?: string | undefined;
  /** The path, or the whole target with its query. */
  readonly path?: string | undefined;
  /** By default the `host` header. */
  readonly host?: string | undefined;
  readonly header?: NamedValues | undefined;
  /** By default the query of `path`. */
  readonly query?: NamedValues | undefined;
  /** By default the cookies of the `cookie` header. */
  readonly cookie?: NamedValues | undefined;
  /** Entries by key, such as those of an Envoy descriptor. */
  readonly descriptor?: NamedValues | undefined;
}

/** The value of a name, `""` if it is missing. Several values are joined, as those of a header are. */
export function namedValue(values: NamedValues, name: string): string {
  const value: unknown = typeof values === "function" ? values(name) : Object.hasOwn(values, name) ? values[name] : "";
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.join(", ") : "";
}
