import { ClientFinder, type ProxyOptions } from "../../http/identity/client-finder.ts";
import { type Facts, headerOf } from "./facts.ts";
import type { ClientAddress } from "./request-address.ts";

/** Finds the address of a request's client. */
export class ClientAddresses {
  readonly #finder: ClientFinder;

  /** @throws TollgateError `ERR_OPTION`. */
  constructor(options: ProxyOptions) {
    this.#finder = new ClientFinder(options, "createLimits()");
  }

  of(facts: Facts): ClientAddress {
    if (facts.ip !== undefined || !("remoteAddress" in facts)) return facts.ip ?? "";
    const { remoteAddress } = facts;
    const lines = (name: string) => facts.lines?.(name);
    const seen = { remoteAddress, header: (name: string) => headerOf(facts, name), lines };
    if (this.#finder.isPeer) {
      this.#finder.look(seen);
      return remoteAddress ?? "";
    }
    const { client, isHidden } = this.#finder.of(seen);
    // Limits of a proxy's own address say nothing about its clients.
    return isHidden ? "" : (client ?? "");
  }
}
