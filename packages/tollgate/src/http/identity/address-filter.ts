import { TollgateError } from "../../core/errors.ts";
import type { AddressFilterOptions } from "../gate-options.ts";
import type { HttpFacts } from "../http-facts.ts";
import { AddressList } from "./address-list.ts";
import { ClientFinder, DEFAULT_HEADER } from "./client-finder.ts";
import { checkToken } from "./header-values.ts";
import { ProxyHeaderWatch } from "./proxy-header-watch.ts";
import { checkHeaderIsRead, compileTrust } from "./trust.ts";

/** `"listed in neither"`: the limiter decides. */
export type FilterResult = "allowed" | "denied" | "listed in neither";

/** Matches clients against lists of addresses before anything is counted. */
export class AddressFilter {
  readonly #allowList: AddressList;
  readonly #denyList: AddressList;
  readonly #finder: ClientFinder;
  readonly #watch: ProxyHeaderWatch | undefined;

  /** @throws TollgateError `ERR_OPTION` for a malformed list, trust or header name. */
  constructor(options: AddressFilterOptions) {
    const { allowList = [], denyList = [], trustProxy = false, addressHeader = DEFAULT_HEADER } = options;
    this.#allowList = new AddressList("allowList", allowList);
    this.#denyList = new AddressList("denyList", denyList);
    const header = checkToken("addressHeader", addressHeader, "the name of a header");
    this.#finder = new ClientFinder(compileTrust(trustProxy), header);
    this.#watch = options.trustProxy === undefined ? new ProxyHeaderWatch("rateLimit with a list") : undefined;
  }

  /** Compares whole addresses: `ipv6Prefix` does not apply. A client without an address is in no list. */
  of(facts: HttpFacts): FilterResult {
    this.#watch?.look(facts);
    const { client, isHidden } = this.#finder.of(facts);
    if (client === undefined) return "listed in neither";
    // A hidden client has the address of a proxy. If the allow list has that proxy, this says nothing about the client.
    if (!isHidden && this.#allowList.has(client)) return "allowed";
    return this.#denyList.has(client) ? "denied" : "listed in neither";
  }
}

/**
 * The filter of a gate, if its options have a list.
 *
 * @throws TollgateError `ERR_OPTION` for a malformed option, or for options about addresses without a list.
 */
export function addressFilterOf(options: AddressFilterOptions): AddressFilter | undefined {
  const filter = new AddressFilter(options);
  const { allowList = [], denyList = [] } = options;
  if (allowList.length + denyList.length > 0) {
    checkHeaderIsRead(options);
    return filter;
  }
  const name = (["trustProxy", "addressHeader"] as const).find((option) => options[option] !== undefined);
  if (name === undefined) return undefined;
  throw new TollgateError(
    "ERR_OPTION",
    `${name}: expected beside allowList or denyList, to whose addresses it applies (the limiter's key is clientIp({ trustProxy })), got neither`,
  );
}
