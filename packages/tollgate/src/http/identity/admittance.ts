import type { HttpFacts } from "../facts.ts";
import { AddressList } from "./address-list.ts";
import { ClientFinder, DEFAULT_HEADER } from "./client-finder.ts";
import { compileTrust } from "./compile-trust.ts";
import { checkToken } from "./token.ts";
import type { TrustProxy } from "./trust.ts";

/** Whom no limiter is asked about. */
export type Admitted = "always" | "never" | "if within limits";

/** Sorts clients by lists of addresses before anything is counted. */
export class Admittance {
  readonly #allow: AddressList;
  readonly #deny: AddressList;
  readonly #finder: ClientFinder;

  /** @throws TollgateError `ERR_OPTION` for a list, a trust or a header that is none. */
  constructor(
    allow: readonly string[],
    deny: readonly string[],
    trustProxy: TrustProxy,
    header: string = DEFAULT_HEADER,
  ) {
    this.#allow = new AddressList("allow", allow);
    this.#deny = new AddressList("deny", deny);
    this.#finder = new ClientFinder(
      compileTrust(trustProxy),
      checkToken("addressHeader", header, "the name of a header"),
    );
  }

  /** By the whole address, which IPv6 is not grouped for. A client without an address is in no list. */
  of(facts: HttpFacts): Admitted {
    const { client, isHiding } = this.#finder.of(facts);
    if (client === undefined) return "if within limits";
    // Whoever hides behind a proxy that is on the list has not got its place there.
    if (!isHiding && this.#allow.has(client)) return "always";
    return this.#deny.has(client) ? "never" : "if within limits";
  }
}
