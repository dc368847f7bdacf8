import type { TrustProxy } from "tollgate/node";
import { describe, expect, it } from "vitest";
import { clientKey } from "../../src/demo/limiters.ts";

function keyOf(
  remoteAddress: string | undefined,
  headers: Readonly<Record<string, string>> = {},
  trustProxy: TrustProxy = false,
): string {
  return clientKey(trustProxy)({ method: "GET", path: "/", remoteAddress, header: (name) => headers[name] });
}

describe("the key of a client", () => {
  it("is its API key, whatever its address", () => {
    expect(keyOf("192.0.2.1", { "x-api-key": "ann" })).toBe(keyOf("192.0.2.2", { "x-api-key": "ann" }));
    expect(keyOf("192.0.2.1", { "x-api-key": "ann" })).not.toBe(keyOf("192.0.2.1", { "x-api-key": "bob" }));
  });

  it("is its address without an API key", () => {
    expect(keyOf("192.0.2.1")).toBe(keyOf("::ffff:192.0.2.1"));
    expect(keyOf("192.0.2.1")).not.toBe(keyOf("192.0.2.2"));
  });

  it("differs between an API key and the address that it reads like", () => {
    expect(keyOf("192.0.2.9", { "x-api-key": "192.0.2.1" })).not.toBe(keyOf("192.0.2.1"));
    expect(keyOf("192.0.2.9", { "x-api-key": keyOf("192.0.2.1") })).not.toBe(keyOf("192.0.2.1"));
  });

  it("is its address if its API key is empty", () => {
    expect(keyOf("192.0.2.1", { "x-api-key": "" })).toBe(keyOf("192.0.2.1"));
  });

  it("is the same for all clients whose peer is gone", () => {
    expect(keyOf(undefined)).toBe(keyOf(undefined));
    expect(keyOf(undefined)).not.toBe(keyOf("192.0.2.1"));
  });

  it("is the address in X-Forwarded-For only if the peer is trusted", () => {
    const headers = { "x-forwarded-for": "203.0.113.9" };
    expect(keyOf("192.0.2.1", headers)).toBe(keyOf("192.0.2.1"));
    expect(keyOf("192.0.2.1", headers, 1)).toBe(keyOf("203.0.113.9"));
    expect(keyOf("192.0.2.1", headers, ["192.0.2.0/24"])).toBe(keyOf("203.0.113.9"));
    expect(keyOf("192.0.2.1", headers, ["10.0.0.0/8"])).toBe(keyOf("192.0.2.1"));
  });
});
