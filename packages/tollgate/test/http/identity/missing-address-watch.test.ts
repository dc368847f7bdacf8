import { clientIp, type HttpFacts } from "tollgate/node";
import { describe, expect, it } from "vitest";
import { spiedWarnings } from "./spied-warnings.ts";

const warned = spiedWarnings();

const WORKERS = { trustProxy: 1, addressHeader: "cf-connecting-ip" };

function request(remoteAddress: string | undefined, headers: Readonly<Record<string, string>> = {}): HttpFacts {
  return { method: "GET", path: "/", remoteAddress, header: (name) => headers[name] };
}

function ask(key: (facts: HttpFacts) => unknown, facts: HttpFacts, times: number): void {
  for (let i = 0; i < times; i += 1) key(facts);
}

describe("clientIp without an address", () => {
  it.each([{}, WORKERS])("warns once, after ten requests, and says which header to name: %j", (options) => {
    const key = clientIp(options);
    ask(key, request(undefined), 9);
    expect(warned()).not.toHaveBeenCalled();
    ask(key, request(undefined), 30);
    expect(warned()).toHaveBeenCalledTimes(1);
    expect(warned().mock.calls[0]![0]).toMatch(/addressHeader: "cf-connecting-ip" } \(no-address\)$/);
  });

  it.each([
    [{}, request("192.0.2.1")],
    [{}, request("2001:db8::1")],
    [WORKERS, request(undefined, { "cf-connecting-ip": "192.0.2.1" })],
  ])("does not warn once there was one: %j", (options, facts) => {
    const key = clientIp(options);
    key(facts);
    ask(key, request(undefined), 30);
    expect(warned()).not.toHaveBeenCalled();
  });

  it("does not warn with warnings: false", () => {
    ask(clientIp({ warnings: false }), request(undefined), 30);
    expect(warned()).not.toHaveBeenCalled();
  });
});
