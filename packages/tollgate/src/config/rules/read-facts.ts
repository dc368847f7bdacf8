import { ClientAddresses } from "./client-addresses.ts";
import { parseFact } from "./fact.ts";
import type { Facts } from "./facts.ts";
import { Request } from "./request.ts";

/** No header tells an address. */
const OF_SOCKETS = new ClientAddresses({ trustProxy: false });

/**
 * Reads facts as rules see them, such as to write down what a rule asks of a request. A fact that is missing is `""`.
 *
 * @param names as a limits file has them: `ip`, `header.x-plan`, `query.q`.
 * @example
 * ```ts
 * import { readFacts } from "tollgate/config";
 *
 * const facts = { path: "/search?q=a", header: { cookie: "sid=1; b=2" } };
 * console.log(readFacts(facts, ["query.q", "cookie.b", "header.x-plan"])); // [ 'a', '2', '' ]
 * ```
 */
export function readFacts(facts: Facts, names: readonly string[]): string[] {
  const request = new Request(facts, false, OF_SOCKETS);
  return names.map((name) => request.read(parseFact(name)));
}
