import { describe, expect, it } from "vitest";
import { parseArguments } from "../src/arguments.ts";

describe("arguments", () => {
  it("serve has defaults", () => {
    expect(parseArguments(["serve"])).toEqual({
      kind: "serve",
      settings: { host: "127.0.0.1", port: 3000, capacity: 10, refillPerSecond: 1, trustProxy: false },
    });
  });

  it("serve takes flags, before and after it", () => {
    const args = ["--port", "0", "serve", "--host=::1", "--capacity", "200", "--refill-per-second", "30"];
    expect(parseArguments(args)).toEqual({
      kind: "serve",
      settings: { host: "::1", port: 0, capacity: 200, refillPerSecond: 30, trustProxy: false },
    });
  });

  it("the last of two counts", () => {
    expect(parseArguments(["serve", "--port", "1", "--port", "65535"])).toMatchObject({ settings: { port: 65_535 } });
  });

  it.each([
    ["0", 0],
    ["2", 2],
    ["10.0.0.0/8", ["10.0.0.0/8"]],
    ["10.0.0.0/8, loopback,2001:db8::/32", ["10.0.0.0/8", "loopback", "2001:db8::/32"]],
    ["private", ["private"]],
  ])("--trust-proxy takes hops or addresses: %s", (text, trustProxy) => {
    expect(parseArguments(["serve", "--trust-proxy", text])).toMatchObject({ settings: { trustProxy } });
  });

  it.each(["", "true", "1.5", "10.0.0.0/33", "10.0.0.0/8,", "300.1.1.1", "10.0.0.0/8 private"])(
    "--trust-proxy refuses %j",
    (text) => {
      expect(() => parseArguments(["serve", `--trust-proxy=${text}`])).toThrow(
        `--trust-proxy: expected a number of hops, or addresses and CIDR blocks, loopback or private, with commas between them, got ${JSON.stringify(text)}`,
      );
    },
  );

  it.each([[["--help"]], [["serve", "--help"]], [["serve", "--port", "1", "--help"]]])("%j asks for help", (args) => {
    expect(parseArguments(args)).toEqual({ kind: "help" });
  });

  it("--version asks for the version", () => {
    expect(parseArguments(["--version"])).toEqual({ kind: "version" });
  });
});
