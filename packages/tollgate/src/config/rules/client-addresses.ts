import { ClientFinder, DEFAULT_HEADER } from "../../http/identity/client-finder.ts";
import { checkToken } from "../../http/identity/header-values.ts";
import { ProxyHeaderWatch } from "../../http/identity/proxy-header-watch.ts";
import { checkHeaderIsRead, compileTrust, TRUSTS_NONE, type TrustProxy } from "../../http/identity/trust.ts";
import { type Facts, headerOf } from "./facts.ts";
import type { ClientAddress } from "./request-address.ts";

/** How the client's address is found in facts that have a `remoteAddress` and no `ip`. */
export interface ClientOptions {
  /** Which proxies may tell the address, as in `clientIp`: `false` by default, none. */
  readonly trustProxy?: TrustProxy;
  /** The header in which trusted proxies write the address, as in `clientIp`: `"x-forwarded-for"` by default. */
  readonly addressHeader?: string;
}

/** Finds the address of a request's client. */
export class ClientAddresses {
  /** `undefined` if no proxy is trusted. */
  readonly #finder: ClientFinder | undefined;
  readonly #watch: ProxyHeaderWatch | undefined;

  /** @throws TollgateError `ERR_OPTION`. */
  constructor(options: ClientOptions) {
    const { trustProxy = false, addressHeader = DEFAULT_HEADER } = options;
    const trusts = compileTrust(trustProxy);
    const header = checkToken("addressHeader", addressHeader, "the name of a header");
    checkHeaderIsRead(options);
    this.#finder = trusts === TRUSTS_NONE ? undefined : new ClientFinder(trusts, header);
    this.#watch = options.trustProxy === undefined ? new ProxyHeaderWatch("createLimits()") : undefined;
  }

  of(facts: Facts): ClientAddress {
    if (facts.ip !== undefined || !("remoteAddress" in facts)) return facts.ip ?? "";
    const { remoteAddress } = facts;
    const lines = (name: string) => facts.lines?.(name);
    const seen = { remoteAddress, header: (name: string) => headerOf(facts, name), lines };
    this.#watch?.look(seen);
    if (this.#finder === undefined) return remoteAddress ?? "";
    const { client, isHidden } = this.#finder.of(seen);
    // Limits of a proxy's own address say nothing about its clients.
    return isHidden ? "" : (client ?? "");
  }
}
