import { show, TollgateError } from "../../core/errors.ts";
import type { HttpFacts } from "../facts.ts";
import { AddressKeys } from "./address-keys.ts";
import { ClientFinder, DEFAULT_HEADER } from "./client-finder.ts";
import { compileTrust, TRUSTS_NOBODY } from "./compile-trust.ts";
import { isDottedQuad } from "./dotted-quad.ts";
import type { KeyOf } from "./key-of.ts";
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
  const { trustProxy = false, ipv6Prefix = DEFAULT_PREFIX, header = DEFAULT_HEADER } = options;
  const trusts = compileTrust(trustProxy);
  const keys = new AddressKeys(checkPrefix(ipv6Prefix));
  const finder = new ClientFinder(trusts, checkToken("header", header, "the name of a header"));
  const found: KeyOf = (facts) => {
    const address = finder.of(facts);
    return address === undefined ? UNKNOWN : keys.of(address.counted);
  };
  return trusts === TRUSTS_NOBODY ? (facts) => plainPeer(facts) ?? found(facts) : found;
}

/** Nearly every peer has an address of IPv4, and the system writes it in one of two ways: nothing is to be done but look. */
function plainPeer({ remoteAddress }: HttpFacts): string | undefined {
  if (remoteAddress === undefined || isDottedQuad(remoteAddress)) return remoteAddress;
  const isMapped = remoteAddress.startsWith(MAPPED) && isDottedQuad(remoteAddress, MAPPED.length);
  return isMapped ? remoteAddress.slice(MAPPED.length) : undefined;
}

function checkPrefix(prefix: unknown): number {
  if (Number.isInteger(prefix) && (prefix as number) >= 1 && (prefix as number) <= 128) return prefix as number;
  throw new TollgateError("ERR_OPTION", `ipv6Prefix: expected a whole number from 1 to 128, got ${show(prefix)}`);
}
