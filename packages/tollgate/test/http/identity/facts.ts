import type { HttpFacts } from "tollgate/node";

/** The lines of each header, by its name in lower case. */
export type HeaderLines = Readonly<Record<string, string | readonly string[]>>;

/** A request from a peer. */
export function factsFrom(peer: string | undefined, headers: HeaderLines = {}): HttpFacts {
  return {
    method: "GET",
    path: "/",
    remoteAddress: peer,
    header: (name) => {
      const lines = headers[name.toLowerCase()];
      return typeof lines === "object" ? lines.join(", ") : lines;
    },
    lines: (name) => [headers[name.toLowerCase()] ?? []].flat(),
  };
}
