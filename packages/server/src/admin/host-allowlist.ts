import { isIPv4, isIPv6 } from "node:net";
import type { NodeHandler } from "tollgate/node";
import { sendJson } from "../http/responses.ts";

/** A host and an optional port; brackets around an IPv6 address. */
const HOST = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::\d{1,5})?$/;

/**
 * Answers only requests for `localhost`, an address, or one of the names. A web page whose own name resolves to this
 * machine (DNS rebinding) sends that name as the host, and gets 403.
 */
export function onlyToHosts(names: readonly string[], handler: NodeHandler): NodeHandler {
  const allowed = new Set(["localhost", ...names.map((name) => name.toLowerCase())]);
  const isKnown = (name: string) => isIPv4(name) || allowed.has(name.toLowerCase());
  return (request, response) => {
    // Several hosts are malformed (RFC 9112, 3.2), but Node takes the first.
    const [host = "", ...others] = request.headersDistinct["host"] ?? [];
    const [, address, name] = HOST.exec(others.length === 0 ? host : "") ?? [];
    const isAllowed = address === undefined ? isKnown(name ?? "") : isIPv6(address);
    if (isAllowed) return handler(request, response);
    return sendJson(response, 403, { error: "unknown host; --admin-allow-host names the hosts of this service" });
  };
}
