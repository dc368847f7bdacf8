/** What a rule may ask of a request. */
export type Fact =
  | { readonly kind: "ip" | "method" | "path" | "host" }
  | { readonly kind: "header" | "query" | "cookie" | "descriptor"; readonly name: string };

/** The facts that have no name of their own. */
export const PLAIN_FACTS = ["ip", "method", "path", "host"] as const;

const PREFIX = /^(header|query|cookie|descriptor)\.(.+)$/s;

/** A fact by its name in a file: `ip`, `header.x-api-key`. A word that is no other fact is a descriptor's key. */
export function parseFact(text: string): Fact {
  for (const kind of PLAIN_FACTS) if (kind === text) return { kind };
  const [, kind, name] = PREFIX.exec(text) ?? [];
  switch (kind) {
    case "header":
      return { kind, name: (name ?? "").toLowerCase() };
    case "query":
    case "cookie":
    case "descriptor":
      return { kind, name: name ?? "" };
    default:
      return { kind: "descriptor", name: text };
  }
}

/** The fact as a file names it, each in one spelling. */
export function factName(fact: Fact): string {
  return "name" in fact ? `${fact.kind}.${fact.name}` : fact.kind;
}
