/** An address without its port: `192.0.2.1:443`, `[2001:db8::1]:443`. */
export function withoutPort(text: string): string {
  if (text.startsWith("[")) return text.slice(1, text.indexOf("]"));
  const colon = text.indexOf(":");
  // More than one colon: an IPv6 address without brackets, which has no port.
  return colon < 0 || text.includes(":", colon + 1) ? text : text.slice(0, colon);
}

/** The first address of an `X-Forwarded-For`: the client as the proxies tell it. */
export function firstForwarded(text: string): string {
  const comma = text.indexOf(",");
  return withoutPort((comma < 0 ? text : text.slice(0, comma)).trim());
}
