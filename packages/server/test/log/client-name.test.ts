import { describe, expect, it } from "vitest";
import { clientKey } from "../../src/demo/limiters.ts";
import { clientName } from "../../src/log/client-name.ts";

const key = clientKey(false);

function nameOf(apiKey: string | undefined): string {
  return clientName(key({ method: "GET", path: "/", remoteAddress: "192.0.2.1", header: () => apiKey }));
}

describe("the name of a client", () => {
  it("is its address", () => {
    expect(nameOf(undefined)).toBe("192.0.2.1");
    expect(nameOf("")).toBe("192.0.2.1");
  });

  it("is what sha256sum prints of its API key", () => {
    // printf %s sk-live-1 | sha256sum
    expect(nameOf("sk-live-1")).toBe("key-f8dc9db173ee");
  });

  it("is a network, or what stands for a client without an address", () => {
    expect(clientName("1:2001:db8:1:2::/64")).toBe("2001:db8:1:2::/64");
    expect(clientName("1:::ffff:192.0.2.1")).toBe("::ffff:192.0.2.1");
    expect(clientName("1:unknown")).toBe("unknown");
  });

  it("is a hash for keys of another limiter that begin as those of addresses do", () => {
    for (const secret of ["1:sk-live-1", "1:", "1:192.0.2.1.sk-live-1", "1:192.0.2.1/sk-live-1", "1:unknown-1"]) {
      expect([secret, clientName(secret)]).toEqual([secret, expect.stringMatching(/^key-[0-9a-f]{12}$/)]);
    }
  });

  it("is a hash for keys of any other form: they may be secrets", () => {
    expect(clientName("2:sk-live-1")).toMatch(/^key-[0-9a-f]{12}$/);
    expect(clientName("")).toMatch(/^key-[0-9a-f]{12}$/);
  });
});
