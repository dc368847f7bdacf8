import {
  checkChoice,
  checkOptions,
  checkWholeNumber,
  type OptionHints,
  optionError,
} from "../../core/check-options.ts";
import { show, TollgateError } from "../../core/errors.ts";
import { keyMaker } from "../../core/key-maker.ts";
import type { HttpFacts, KeyOf } from "../http-facts.ts";
import { type Address, keyOfIp, parseAddress, plainIpv4 } from "./address.ts";
import { ClientFinder, type FoundClient, type ProxyOptions } from "./client-finder.ts";
import { MissingAddressWatch } from "./missing-address-watch.ts";

/** How a client's address is found, and which addresses are one client. */
export interface ClientIpOptions extends ProxyOptions {
  /** How many leading bits of an IPv6 address make a client: 1 to 128, 64 by default. */
  readonly ipv6Prefix?: number;
  /**
   * Whether the process warns, once: if requests have `X-Forwarded-For` or `Forwarded` and `trustProxy` is not set, or
   * if the first ten have no address. `true` by default. `trustProxy: false` says that nothing is in front.
   */
  readonly warnings?: boolean;
}

const NAMES: Readonly<Record<keyof ClientIpOptions, true>> = {
  trustProxy: true,
  ipv6Prefix: true,
  addressHeader: true,
  warnings: true,
};
const HINTS: OptionHints = { "": "write { trustProxy: 1 }", header: "it is called addressHeader" };
/** Two copies of the library know each other's. */
const FIND: unique symbol = Symbol.for("tollgate.find-client");

type FindClient = (facts: HttpFacts) => FoundClient;

const UNKNOWN = "unknown";
const DEFAULT_PREFIX = 64;

/**
 * Makes a key of the client's address: a dotted quad for IPv4, the network for IPv6, such as `2001:db8:1:2::/64`, and
 * `unknown` without an address, which all such clients share. By default the client is the socket's peer. Behind one
 * proxy, set `trustProxy: 1`.
 * Addresses are compared as bits: IPv4-mapped, NAT64 (`64:ff9b::/96`) and 6to4 (`2002::/16`) forms count as their IPv4
 * address, ports and zones are dropped.
 *
 * @throws TollgateError `ERR_OPTION` when an option is not what is expected. The key function throws `ERR_KEY` for an
 *   input that is not the facts of a request.
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
export const clientIp: (options?: ClientIpOptions) => KeyOf = /* @__PURE__ */ keyMaker("clientIp()", makeKey);

function makeKey(options: ClientIpOptions = {}): KeyOf {
  checkOptions("clientIp", options, NAMES, HINTS);
  const { ipv6Prefix = DEFAULT_PREFIX, warnings } = options;
  checkWholeNumber("ipv6Prefix", ipv6Prefix, 1, 128);
  checkChoice("warnings", warnings, [true, false]);
  const finder = new ClientFinder(options, warnings === false ? undefined : "clientIp()");
  const addresses = warnings === false ? undefined : new MissingAddressWatch();
  const keyOf = (address: Address | undefined) => {
    if (address === undefined) {
      addresses?.missing();
      return UNKNOWN;
    }
    addresses?.found();
    return keyOfIp(address.counted, ipv6Prefix);
  };
  const find: FindClient = (facts) => finder.of(facts);
  const ofClient: KeyOf = (facts) => {
    checkFacts(facts);
    return keyOf(finder.of(facts).client);
  };
  const ofPeer: KeyOf = (facts) => {
    checkFacts(facts);
    const peer = facts.remoteAddress;
    finder.look(facts);
    if (peer === undefined) return keyOf(undefined);
    const plain = plainIpv4(peer);
    if (plain === undefined) return keyOf(parseAddress(peer));
    addresses?.found();
    return plain;
  };
  return Object.defineProperty(finder.isPeer ? ofPeer : ofClient, FIND, { value: find });
}

/** @throws TollgateError `ERR_OPTION` unless `clientIp()` made the key function. */
export function findClientBy(key: unknown): FindClient {
  const find = typeof key === "function" ? (key as { readonly [FIND]?: FindClient })[FIND] : undefined;
  if (find !== undefined) return find;
  throw optionError("clientIp", "what clientIp() returns", key);
}

/** @throws TollgateError `ERR_KEY` for what is no request: it would count as a client without an address. */
function checkFacts(facts: unknown): asserts facts is HttpFacts {
  const isObject = typeof facts === "object" && facts !== null;
  if (isObject && "remoteAddress" in facts) return;
  const hint = isObject ? "; factsOf(request) makes them" : "";
  throw new TollgateError(
    "ERR_KEY",
    `clientIp: expected the facts of a request (HttpFacts), got ${show(facts)}${hint}`,
  );
}
