import { TollgateError } from "../../core/errors.ts";
import type { AddressFilterOptions } from "../gate-options.ts";
import type { HttpFacts } from "../http-facts.ts";
import { parseAddress } from "./address.ts";
import { AddressList } from "./address-list.ts";
import type { FoundClient } from "./client-finder.ts";
import { findClientBy } from "./client-ip.ts";
import { ProxyHeaderWatch } from "./proxy-header-watch.ts";

/** `"listed in neither"`: the limiter decides. */
export type FilterResult = "allowed" | "denied" | "listed in neither";

/** Matches clients against lists of addresses before anything is counted. */
export class AddressFilter {
  readonly #allowList: AddressList;
  readonly #denyList: AddressList;
  readonly #find: (facts: HttpFacts) => FoundClient;

  /** @throws TollgateError `ERR_OPTION` for a malformed list, or a `clientIp` that `clientIp()` did not make. */
  constructor(options: AddressFilterOptions) {
    const { allowList = [], denyList = [], clientIp } = options;
    this.#allowList = new AddressList("allowList", allowList);
    this.#denyList = new AddressList("denyList", denyList);
    this.#find = clientIp === undefined ? findPeer() : findClientBy(clientIp);
  }

  /** Compares whole addresses: `ipv6Prefix` does not apply. A client without an address is in no list. */
  of(facts: HttpFacts): FilterResult {
    const { client, isHidden } = this.#find(facts);
    if (client === undefined) return "listed in neither";
    // A hidden client has the address of a proxy. If the allow list has that proxy, this says nothing about the client.
    if (!isHidden && this.#allowList.has(client)) return "allowed";
    return this.#denyList.has(client) ? "denied" : "listed in neither";
  }
}

/** By default the client is the socket's peer. */
function findPeer(): (facts: HttpFacts) => FoundClient {
  const watch = new ProxyHeaderWatch("the clientIp of rateLimit");
  return (facts) => {
    watch.look(facts);
    const { remoteAddress } = facts;
    return { client: remoteAddress === undefined ? undefined : parseAddress(remoteAddress), isHidden: false };
  };
}

/**
 * The filter of a gate, if its options have a list.
 *
 * @throws TollgateError `ERR_OPTION` for a malformed option, or for a `clientIp` without a list.
 */
export function addressFilterOf(options: AddressFilterOptions): AddressFilter | undefined {
  const filter = new AddressFilter(options);
  const { allowList = [], denyList = [] } = options;
  if (allowList.length + denyList.length > 0) return filter;
  if (options.clientIp === undefined) return undefined;
  throw new TollgateError(
    "ERR_OPTION",
    "clientIp: expected beside allowList or denyList, whose clients it finds, got neither; a limiter has its own key",
  );
}
