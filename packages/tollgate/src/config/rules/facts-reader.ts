import { ClientAddresses } from "./client-addresses.ts";
import { parseFact } from "./fact.ts";
import type { Facts } from "./facts.ts";
import { Request } from "./request.ts";

/** No header tells an address. */
const OF_SOCKETS = new ClientAddresses({ trustProxy: false });

/**
 * Returns a function that reads facts as rules see them, such as to write down what rules ask of requests. A fact that
 * is missing is `""`.
 *
 * @param names as a limits file has them: `ip`, `header.x-plan`, `query.q`.
 * @example
 * ```ts
 * import { factsReader } from "tollgate/config";
 *
 * const read = factsReader(["query.q", "cookie.b", "header.x-plan"]);
 * console.log(read({ path: "/search?q=a", header: { cookie: "sid=1; b=2" } })); // [ 'a', '2', '' ]
 * ```
 */
export function factsReader(names: readonly string[]): (facts: Facts) => string[] {
  const parsed = names.map(parseFact);
  return (facts) => {
    const request = new Request(facts, false, OF_SOCKETS);
    return parsed.map((fact) => request.read(fact));
  };
}
