import { createServer } from "node:http";
import { describe, expect, it } from "vitest";
import { ListenError, listen, listenError, urlOf } from "../../src/http/listen.ts";
import { startTestService } from "../support/test-service.ts";

function errorFor(code: string): unknown {
  return listenError(Object.assign(new Error(`listen ${code}`), { code }), {
    host: "host.example",
    port: 80,
    flags: "--",
  });
}

describe("the error of listen", () => {
  it("names a port in use", async () => {
    const { url } = await startTestService();
    const port = Number(new URL(url).port);
    await expect(startTestService({ port })).rejects.toThrow(
      new ListenError(`--port: expected a free port, got ${port}, which is in use on 127.0.0.1`),
    );
  });

  it("names an address of another machine", async () => {
    // Reserved for documentation (RFC 5737): no machine has it.
    await expect(listen(createServer(), { host: "192.0.2.1", port: 0, flags: "--" })).rejects.toThrow(
      new ListenError('--host: expected an address of this machine, got "192.0.2.1" (EADDRNOTAVAIL)'),
    );
  });

  it.each([
    ["EACCES", "--port: expected a port that this user may open, got 80"],
    ["ENOTFOUND", '--host: expected an address of this machine, got "host.example" (ENOTFOUND)'],
    ["EAI_AGAIN", '--host: expected an address of this machine, got "host.example" (EAI_AGAIN)'],
  ])("explains %s", (code, message) => {
    expect(errorFor(code)).toEqual(new ListenError(message));
  });
});

describe("the service's URL", () => {
  it("has brackets around an IPv6 address", () => {
    expect(urlOf({ address: "::1", family: "IPv6", port: 3000 })).toBe("http://[::1]:3000");
  });
});
