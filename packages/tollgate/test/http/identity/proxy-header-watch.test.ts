import { createLimiter, perMinute } from "tollgate";
import { type ClientIpOptions, clientIp, type KeyOf, rateLimit } from "tollgate/node";
import { describe, expect, it } from "vitest";
import { urlOf } from "../../adapters/suite/node-server.ts";
import { spiedWarnings } from "./spied-warnings.ts";

const FORWARDED = { "X-Forwarded-For": "192.0.2.7" };
const TEXT =
  "tollgate: a request has X-Forwarded-For, and clientIp() has no trustProxy, so it sees the address of the proxy; " +
  "set trustProxy to what is in front, or to false if nothing is (untrusted-proxy)";

const warned = spiedWarnings();

/** A server behind a limiter, and how to send it requests. */
async function serve(
  options: ClientIpOptions,
  filter: { readonly allowList?: readonly string[]; readonly clientIp?: KeyOf } = {},
) {
  const limiter = createLimiter({ key: clientIp(options), limits: [perMinute(1_000)] });
  const url = await urlOf(rateLimit({ limiter, ...filter })((_request, response) => void response.end("hello")));
  return async (headers: Readonly<Record<string, string>>, times = 1) => {
    for (let i = 0; i < times; i += 1) await (await fetch(url, { headers })).text();
  };
}

describe("a proxy's header without trustProxy", () => {
  it("is warned of once, whatever the number of requests and limiters", async () => {
    const send = await serve({});
    const sendElsewhere = await serve({});
    await send(FORWARDED, 70);
    await sendElsewhere(FORWARDED, 70);
    expect(warned().mock.calls).toEqual([[TEXT]]);
  });

  it("is looked for in the first hundred requests, and then in one in a hundred", () => {
    const read: string[] = [];
    const header = (name: string) => (read.push(name) > 0 ? undefined : name);
    const key = clientIp();
    for (let i = 0; i < 1_000; i += 1) key({ method: "GET", path: "/", remoteAddress: "192.0.2.1", header });
    expect(read.filter((name) => name === "Forwarded")).toHaveLength(100 + 9);
  });

  it("is warned of if it is Forwarded", async () => {
    const send = await serve({});
    await send({ Forwarded: "for=192.0.2.7" });
    expect(warned().mock.calls).toEqual([[TEXT.replace("X-Forwarded-For", "Forwarded")]]);
  });

  it("is warned of if requests without it came first", async () => {
    const send = await serve({});
    await send({}, 3);
    await send(FORWARDED);
    expect(warned()).toHaveBeenCalledTimes(1);
  });

  it("is warned of by lists of addresses", async () => {
    const send = await serve({ trustProxy: false }, { allowList: ["10.0.0.0/8"] });
    await send(FORWARDED);
    expect(warned().mock.calls).toEqual([[TEXT.replace("clientIp()", "the clientIp of rateLimit")]]);
  });

  it.each<[ClientIpOptions]>([
    [{ warnings: false }],
    [{ trustProxy: false }],
    [{ trustProxy: 0 }],
    [{ trustProxy: 1 }],
  ])("is not warned of with clientIp(%j)", async (options) => {
    const send = await serve(options, { allowList: ["10.0.0.0/8"], clientIp: clientIp(options) });
    await send(FORWARDED, 3);
    expect(warned()).not.toHaveBeenCalled();
  });
});
