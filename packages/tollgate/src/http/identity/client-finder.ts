import type { HttpFacts } from "../http-facts.ts";
import { type Address, parseAddress } from "./address.ts";
import { type ForwardedEntry, forwardedEntries } from "./forwarded-headers.ts";
import type { Trusts } from "./trust.ts";

export const DEFAULT_HEADER = "x-forwarded-for";

/** The end of the walk from the socket's peer to the client. */
export interface FoundClient {
  /** `undefined` if neither the socket nor a trusted hop tells an address. */
  readonly client: Address | undefined;
  /** Whether a trusted peer names no client, or a trusted hop forwards one without a readable address. */
  readonly isHidden: boolean;
}

/** Walks from the socket's peer to the client, as far as the hops are trusted. */
export class ClientFinder {
  readonly #trusts: Trusts;
  readonly #header: string;

  /** The header's name may be in any case. */
  constructor(trusts: Trusts, header: string) {
    this.#trusts = trusts;
    this.#header = header.toLowerCase();
  }

  of(facts: Pick<HttpFacts, "remoteAddress" | "header" | "lines">): FoundClient {
    const { remoteAddress } = facts;
    const peer = remoteAddress === undefined ? undefined : parseAddress(remoteAddress);
    if (!this.#trusts(peer, 0)) return { client: peer, isHidden: false };
    const value = facts.header(this.#header);
    // A client can fill the head up, or name the header in `Connection`, so that the line of the proxy is missing.
    const isMissing = value === undefined || facts.lines?.(this.#header) === "dropped";
    return isMissing ? { client: peer, isHidden: true } : this.#walk(peer, forwardedEntries(this.#header, value));
  }

  #walk(peer: Address | undefined, entries: Iterator<ForwardedEntry, undefined>): FoundClient {
    let client = peer;
    for (let distance = 0; this.#trusts(client, distance); distance += 1) {
      const entry = entries.next().value;
      // A header without an entry hides the client.
      if (entry === undefined) return { client, isHidden: distance === 0 };
      if (entry === "unreadable") return { client, isHidden: true };
      client = entry;
    }
    return { client, isHidden: false };
  }
}
