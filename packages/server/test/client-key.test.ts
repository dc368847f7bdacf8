import { describe, expect, it } from "vitest";
import { clientKey } from "../src/client-key.ts";

function keyOf(remoteAddress: string | undefined, headers: Readonly<Record<string, string>> = {}): string {
  return clientKey({ method: "GET", path: "/", remoteAddress, header: (name) => headers[name] });
}

describe("a client is", () => {
  it("its API key", () => {
    expect(keyOf("192.0.2.1", { "x-api-key": "ann" })).toBe("key:ann");
  });

  it("else its address", () => {
    expect(keyOf("192.0.2.1")).toBe("address:192.0.2.1");
  });

  it("its address when its API key is empty", () => {
    expect(keyOf("192.0.2.1", { "x-api-key": "" })).toBe("address:192.0.2.1");
  });

  it("unknown when its peer is gone", () => {
    expect(keyOf(undefined)).toBe("address:unknown");
  });

  it("never what X-Forwarded-For says", () => {
    expect(keyOf("192.0.2.1", { "x-forwarded-for": "203.0.113.9" })).toBe("address:192.0.2.1");
  });
});
