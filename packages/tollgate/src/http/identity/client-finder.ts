import { optionError } from "../../core/check-options.ts";
import type { HttpFacts } from "../http-facts.ts";
import { type Address, parseAddress } from "./address.ts";
import { type ForwardedEntry, forwardedEntries } from "./forwarded-headers.ts";
import { checkToken } from "./header-values.ts";
import { ProxyHeaderWatch } from "./proxy-header-watch.ts";
import { compileTrust, TRUSTS_NONE, type TrustProxy, type Trusts } from "./trust.ts";

/** Which proxies may tell a client's address, and where. */
export interface ProxyOptions {
  /** Which proxies may tell the address: `false` by default, none. */
  readonly trustProxy?: TrustProxy;
  /**
   * The header in which trusted proxies write the address: `"x-forwarded-for"` by default, `"forwarded"` (RFC 7239), or
   * any header that holds one address, such as `"cf-connecting-ip"`. Other headers are ignored.
   */
  readonly addressHeader?: string;
}

type Peer = Pick<HttpFacts, "remoteAddress" | "header" | "lines">;

/** The end of the walk from the socket's peer to the client. */
export interface FoundClient {
  /** `undefined` if neither the socket nor a trusted hop tells an address. */
  readonly client: Address | undefined;
  /** Whether a trusted peer names no client, or a trusted hop forwards one without a readable address. */
  readonly isHidden: boolean;
}

const DEFAULT_HEADER = "x-forwarded-for";

/** Walks from the socket's peer to the client, as far as the hops are trusted. */
export class ClientFinder {
  /** Whether no proxy is trusted, so that the socket's peer is the client. */
  readonly isPeer: boolean;
  readonly #trusts: Trusts;
  readonly #header: string;
  readonly #watch: ProxyHeaderWatch | undefined;

  /**
   * `warnedAs` is what lacks `trustProxy`, as a warning names it. Without it there is no warning.
   *
   * @throws TollgateError `ERR_OPTION`.
   */
  constructor(options: ProxyOptions, warnedAs: string | undefined) {
    const { trustProxy, addressHeader = DEFAULT_HEADER } = options;
    this.#trusts = compileTrust(trustProxy === undefined ? false : trustProxy);
    this.isPeer = this.#trusts === TRUSTS_NONE;
    this.#header = checkToken("addressHeader", addressHeader, "the name of a header").toLowerCase();
    if (options.addressHeader !== undefined && trustProxy === undefined)
      throw optionError("addressHeader", "a trustProxy beside it, which says whose header is read", addressHeader);
    if (trustProxy === undefined && warnedAs !== undefined) this.#watch = new ProxyHeaderWatch(warnedAs);
  }

  /** Warns if a proxy forwards the request, and no option says whether it is trusted. */
  look(facts: Peer): void {
    this.#watch?.look(facts);
  }

  of(facts: Peer): FoundClient {
    this.look(facts);
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
