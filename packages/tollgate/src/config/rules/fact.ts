/** What a rule may ask of a request. */
export type Fact = PlainFact | NamedFact;

interface PlainFact {
  readonly kind: (typeof PLAIN_FACTS)[number];
  /** The fact as a file names it, each in one spelling. */
  readonly id: string;
}

interface NamedFact {
  readonly kind: "header" | "query" | "cookie" | "descriptor";
  readonly id: string;
  readonly name: string;
}

/** The facts that have no name of their own. */
export const PLAIN_FACTS = ["ip", "method", "path", "host"] as const;

const PREFIX = /^(header|query|cookie|descriptor)\.(.+)$/s;

/** A fact by its name in a file: `ip`, `header.x-api-key`. A word that is no other fact is a descriptor's key. */
export function parseFact(text: string): Fact {
  for (const kind of PLAIN_FACTS) if (kind === text) return { kind, id: kind };
  const [, kind = "descriptor", given = text] = PREFIX.exec(text) ?? [];
  const name = kind === "header" ? given.toLowerCase() : given;
  return { kind: kind as NamedFact["kind"], id: `${kind}.${name}`, name };
}

/**
 * The one spelling of a fact that a limits file may spell in several ways.
 *
 * @example
 * ```ts
 * import { factId } from "tollgate/config";
 *
 * console.log(factId("header.X-Plan")); // header.x-plan
 * console.log(factId("user")); // descriptor.user
 * ```
 */
export function factId(text: string): string {
  return parseFact(text).id;
}
