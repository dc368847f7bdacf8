import { clientIp, firstOf, header, type KeyOf, type TrustProxy } from "tollgate/node";

/**
 * Who is calling: the API key, else the address that the trusted hops report. An empty key is none; a unix socket and a peer
 * that is gone have no address.
 *
 * @throws TollgateError `ERR_OPTION` when the trust is none.
 */
export function clientKey(trustProxy: TrustProxy): KeyOf {
  return firstOf(header("x-api-key"), clientIp({ trustProxy }));
}
