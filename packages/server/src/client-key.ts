import type { HttpFacts } from "tollgate/node";

/**
 * Who is calling: the API key, else the address of the socket's peer. An empty key is none; a unix socket and a peer
 * that is gone have no address. `X-Forwarded-For` is not looked at: whoever connects can write anything into it.
 */
export function clientKey(request: HttpFacts): string {
  const apiKey = request.header("x-api-key") ?? "";
  // The prefixes keep apart an API key and an address that read the same.
  return apiKey === "" ? `address:${request.remoteAddress ?? "unknown"}` : `key:${apiKey}`;
}
