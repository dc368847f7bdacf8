import { show, TollgateError } from "../../core/errors.ts";
import { checkNames } from "../check-names.ts";
import type { Address } from "./address.ts";
import { AddressKeys } from "./address-keys.ts";
import { ClientFinder, DEFAULT_HEADER } from "./client-finder.ts";
import { compileTrust, TRUSTS_NOBODY } from "./compile-trust.ts";
import { isDottedQuad } from "./dotted-quad.ts";
import type { KeyOf } from "./key-of.ts";
import { nodeAddress } from "./node-address.ts";
import { RecentPeers } from "./recent-peers.ts";
import { checkToken } from "./token.ts";
import type { TrustProxy } from "./trust.ts";

/** How a client's address is found, and which addresses are one client. */
export interface ClientIpOptions {
  /** Whose word is taken for the address: `false` by default, nobody's. */
  readonly trustProxy?: TrustProxy;
  /** How many leading bits make a client of IPv6: 1 to 128, 64 by default. */
  readonly ipv6Prefix?: number;
  /**
   * Where trusted proxies write the address: `"x-forwarded-for"` by default, `"forwarded"` (RFC 7239), or any other header, which
   * holds one address, such as `"cf-connecting-ip"`. No other header is looked at.
   */
  readonly header?: string;
}

const NAMES: Readonly<Record<keyof ClientIpOptions, true>> = { trustProxy: true, ipv6Prefix: true, header: true };
const UNKNOWN = "unknown";
const DEFAULT_PREFIX = 64;
const MAPPED = "::ffff:";

/**
 * The client's address: of IPv4 as a dotted quad, of IPv6 the network that it is in, such as `2001:db8:1:2::/64`, and `unknown`
 * where there is none. Addresses are compared as bits: IPv4-mapped, NAT64 (`64:ff9b::/96`) and 6to4 (`2002::/16`) forms count as
 * their IPv4, ports and zones are dropped. A header is believed only as far as `trustProxy` says.
 *
 * @throws TollgateError `ERR_OPTION` when an option is not what is expected.
 * @example
 * ```ts
 * import { createLimiter, perMinute } from "tollgate";
 * import { clientIp, type HttpFacts } from "tollgate/node";
 *
 * const key = clientIp({ trustProxy: "loopback" });
 * const limiter = createLimiter({ key, limits: [perMinute(100)] });
 *
 * const headers = new Headers({ "x-forwarded-for": "10.0.0.1, 2001:db8:1:2:3::4" });
 * const facts: HttpFacts = {
 *   method: "GET",
 *   path: "/",
 *   remoteAddress: "::ffff:127.0.0.1",
 *   header: (name) => headers.get(name) ?? undefined,
 * };
 * console.log(key(facts)); // 2001:db8:1:2::/64
 * console.log(limiter.consume(facts).remaining); // 99
 * ```
 */
export function clientIp(options: ClientIpOptions = {}): KeyOf {
  if (typeof options !== "object" || options === null) {
    throw new TollgateError("ERR_OPTION", `clientIp: expected an object of options, got ${show(options)}`);
  }
  checkNames("clientIp", options, Object.keys(NAMES), { addressHeader: "which is called header here" });
  const { trustProxy = false, ipv6Prefix = DEFAULT_PREFIX, header = DEFAULT_HEADER } = options;
  const trusts = compileTrust(trustProxy);
  const keys = new AddressKeys(checkPrefix(ipv6Prefix));
  const finder = new ClientFinder(trusts, checkToken("header", header, "the name of a header"));
  const keyOf = (address: Address | undefined) => (address === undefined ? UNKNOWN : keys.of(address.counted));
  if (trusts !== TRUSTS_NOBODY) return (facts) => keyOf(finder.of(facts).client);
  const recent = new RecentPeers((peer) => keyOf(nodeAddress(peer)));
  return ({ remoteAddress: peer }) => (peer === undefined ? UNKNOWN : (plainPeer(peer) ?? recent.of(peer)));
}

/** Nearly every peer has an address of IPv4, and the system writes it in one of two ways: nothing is to be done but look. */
function plainPeer(peer: string): string | undefined {
  if (isDottedQuad(peer)) return peer;
  return peer.startsWith(MAPPED) && isDottedQuad(peer, MAPPED.length) ? peer.slice(MAPPED.length) : undefined;
}

function checkPrefix(prefix: unknown): number {
  if (Number.isInteger(prefix) && (prefix as number) >= 1 && (prefix as number) <= 128) return prefix as number;
  throw new TollgateError("ERR_OPTION", `ipv6Prefix: expected a whole number from 1 to 128, got ${show(prefix)}`);
}
