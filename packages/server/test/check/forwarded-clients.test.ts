import type { IncomingMessage } from "node:http";
import { expect, it } from "vitest";
import { ForwardedClients } from "../../src/check/forwarded-clients.ts";

/** A check from a peer. */
function checkFrom(remoteAddress: string, forwarded?: string): IncomingMessage {
  const rawHeaders = forwarded === undefined ? [] : ["X-Forwarded-For", forwarded];
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  return { method: "GET", url: "/check", rawHeaders, headers, socket: { remoteAddress } } as unknown as IncomingMessage;
}

it("clients that are asked about often stay those of their proxy, whatever other peers claim", () => {
  const clients = new ForwardedClients("loopback");
  for (let i = 0; i < 100; i += 1) {
    expect(clients.of(checkFrom("127.0.0.1", "192.0.2.1"))).toEqual({ isForwarded: true, address: "192.0.2.1" });
    expect(clients.of(checkFrom("203.0.113.9", "192.0.2.1"))).toEqual({ isForwarded: false, address: "203.0.113.9" });
    expect(clients.of(checkFrom("203.0.113.9"))).toEqual({ isForwarded: false, address: "203.0.113.9" });
    expect(clients.of(checkFrom("127.0.0.1"))).toEqual({ isForwarded: true, address: undefined });
    expect(clients.of(checkFrom("127.0.0.1", "undefined"))).toEqual({ isForwarded: true, address: undefined });
  }
});

it("clients beyond those that are cached are found as well", () => {
  const clients = new ForwardedClients("loopback");
  for (let i = 0; i < 20_000; i += 1) {
    const address = `192.0.${(i >> 8) & 255}.${i & 255}`;
    expect(clients.of(checkFrom("127.0.0.1", address)).address).toBe(address);
  }
});
