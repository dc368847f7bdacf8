import { optionError } from "../../core/check-options.ts";
import type { HeaderLines } from "../../http/http-facts.ts";

/** Values by name: a function, or an object such as `request.headers` of Node. Names of headers are in lower case. */
export type NamedValues =
  | ((name: string) => string | undefined)
  | { readonly [name: string]: string | readonly string[] | undefined };

/** What rules ask of a request. All of it may be missing. The `HttpFacts` of the adapters are such facts. */
export interface Facts {
  /** The client's address, which the caller has found. */
  readonly ip?: string | undefined;
  /** Without `ip`, the address of the socket's peer: `trustProxy` says how the client's address is found. */
  readonly remoteAddress?: string | undefined;
  readonly method?: string | undefined;
  /** The path, or the whole target with its query. */
  readonly path?: string | undefined;
  /** The target with its query, if `path` has none. */
  readonly target?: string | undefined;
  /** By default the `host` header. */
  readonly host?: string | undefined;
  readonly header?: NamedValues | undefined;
  /** The lines of a header, where they are known: those of `HttpFacts`. */
  readonly lines?: ((name: string) => HeaderLines | undefined) | undefined;
  /** By default the query of `target`, or of `path`. */
  readonly query?: NamedValues | undefined;
  /** By default the cookies of the `cookie` header. */
  readonly cookie?: NamedValues | undefined;
  /** Entries by key, such as those of an Envoy descriptor. */
  readonly descriptor?: NamedValues | undefined;
}

/** @throws TollgateError `ERR_OPTION` unless these may be facts. What is in them is checked when a rule asks for it. */
export function checkFacts(facts: unknown): void {
  if (typeof facts === "object" && facts !== null) return;
  throw optionError("facts", "an object such as { ip, method, path, header }", facts);
}

/** A request whose header is missed would not be counted. */
function checkValues(fact: string, values: object): void {
  if (typeof values === "object" && values !== null && typeof (values as { get?: unknown }).get !== "function") return;
  const hint = ", as in (name) => headers.get(name) ?? undefined";
  throw optionError(`facts.${fact}`, `an object of values by name, or a function of a name${hint}`, values);
}

/** A header's value; `undefined` if it is missing. */
export function headerOf(facts: Facts, name: string): string | undefined {
  const { header } = facts;
  if (header === undefined) return undefined;
  // A function may be a method, which needs its object.
  if (typeof header === "function") return (facts as { header(name: string): string | undefined }).header(name);
  checkValues("header", header);
  return Object.hasOwn(header, name) ? valuesOf(header, name, "header").join(", ") : undefined;
}

/** The lines of a header, where they are known. */
export function linesOf(facts: Facts, name: string): HeaderLines | undefined {
  const { header } = facts;
  const lines = typeof header === "object" && Object.hasOwn(header, name) ? header[name] : undefined;
  return typeof lines === "object" ? lines : facts.lines?.(name);
}

/** The values of a name, none if it is missing. */
export function valuesOf(values: NamedValues, name: string, fact: string): readonly string[] {
  if (typeof values !== "function") checkValues(fact, values);
  const value: unknown = typeof values === "function" ? values(name) : Object.hasOwn(values, name) ? values[name] : [];
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.map(String) : [];
}
