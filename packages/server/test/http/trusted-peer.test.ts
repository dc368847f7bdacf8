import type { IncomingMessage } from "node:http";
import type { TrustProxy } from "tollgate/node";
import { describe, expect, it } from "vitest";
import { trustedPeer } from "../../src/http/trusted-peer.ts";

function isTrusted(trustProxy: TrustProxy, remoteAddress: string | undefined): boolean {
  return trustedPeer(trustProxy)({ socket: { remoteAddress } } as IncomingMessage);
}

describe("a peer", () => {
  it.each<[TrustProxy, string]>([
    [1, "192.0.2.1"],
    [3, "2001:db8::1"],
    ["loopback", "127.0.0.1"],
    ["loopback", "::ffff:127.0.0.1"],
    ["private", "10.1.2.3"],
    [["192.0.2.0/24", "loopback"], "192.0.2.200"],
    [["2001:db8::/32"], "2001:db8::1"],
  ])("is trusted by --trust-proxy %j at %s", (trustProxy, peer) => {
    expect(isTrusted(trustProxy, peer)).toBe(true);
  });

  it.each<[TrustProxy, string | undefined]>([
    [false, "127.0.0.1"],
    [0, "127.0.0.1"],
    [[], "127.0.0.1"],
    ["loopback", "192.0.2.1"],
    ["private", "192.0.2.1"],
    ["private", undefined],
    [["192.0.2.0/24"], "192.0.3.1"],
    [["192.0.2.0/24"], undefined],
  ])("is not trusted by --trust-proxy %j at %s", (trustProxy, peer) => {
    expect(isTrusted(trustProxy, peer)).toBe(false);
  });
});
