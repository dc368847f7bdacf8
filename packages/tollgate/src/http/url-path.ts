/** The path in a URL, or in a request's target of whatever form (RFC 9112, section 3.2), as it is there: without the query. */
export function pathOfUrl(url: string): string {
  const query = url.indexOf("?");
  const fragment = url.indexOf("#");
  const end = Math.min(query < 0 ? url.length : query, fragment < 0 ? url.length : fragment);
  const whole = url.slice(0, end);
  return whole.startsWith("/") ? whole : withoutOrigin(whole);
}

/** The absolute form leads to the same routes, whatever host a client writes into it. */
function withoutOrigin(url: string): string {
  const scheme = url.indexOf("://");
  // The `*` of OPTIONS, or the authority of CONNECT.
  if (scheme < 0) return url;
  const start = url.indexOf("/", scheme + "://".length);
  return start < 0 ? "/" : url.slice(start);
}
