/**
 * Whose word is taken for a client's address. `false`: nobody's, the socket's peer is the client. A number N: the N nearest hops,
 * the socket's peer being the first, are trusted, and the client is the address that the N-th reports. `"loopback"`
 * (127.0.0.0/8, ::1), `"private"` (that, RFC 1918, fc00::/7 and link-local), or a list of addresses, CIDR blocks and these words:
 * those hops are trusted, and the client is the first one, from the peer on, that is not.
 */
export type TrustProxy = false | number | "loopback" | "private" | readonly string[];
