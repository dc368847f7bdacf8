import { Agent, type RequestOptions } from "node:http";
import { clientIp, header, type TrustProxy } from "tollgate/node";
import { describe, expect, it, onTestFinished } from "vitest";
import type { CheckedFacts } from "../../src/check/checked-request.ts";
import { call } from "../support/call.ts";
import { openConnection } from "../support/connection.ts";
import { perAddress, serveChecks } from "./serve-checks.ts";

/** What limits see of a check. */
async function factsOf(options: RequestOptions, trustProxy?: TrustProxy): Promise<CheckedFacts> {
  const { limiter, seen } = perAddress(10);
  const { url } = await serveChecks({ limiter, ...(trustProxy === undefined ? {} : { trustProxy }) });
  await call(`${url}/check?method=PUT`, options);
  return seen[0] as CheckedFacts;
}

/** What limits see of a check that is sent as it stands. */
async function factsOfText(head: string): Promise<CheckedFacts> {
  const { limiter, seen } = perAddress(10);
  const { url } = await serveChecks({ limiter });
  const connection = await openConnection(url);
  connection.send(`GET /check HTTP/1.1\r\nHost: limiter\r\n${head}\r\n\r\n`);
  await connection.receives(/\r\n\r\n/);
  return seen[0] as CheckedFacts;
}

const UNTRUSTED = ["192.0.2.1"];

const FORWARDED = {
  "X-Forwarded-Method": "POST",
  "X-Forwarded-Uri": "/login,now?a=1&b=2",
  "X-Forwarded-Host": "shop.example:8443",
  "X-Forwarded-Proto": "https",
  "X-Forwarded-For": "6.6.6.6, 203.0.113.7",
};

describe("limits see of a check", () => {
  it("the request that the proxy asks about", async () => {
    const facts = await factsOf({ headers: { ...FORWARDED, "X-API-Key": "k-1" } });
    expect(facts).toMatchObject({
      method: "POST",
      target: "/login,now?a=1&b=2",
      path: "/login,now",
      host: "shop.example:8443",
      remoteAddress: "203.0.113.7",
    });
    expect(facts.header("host")).toBe("shop.example:8443");
    expect(facts.header("X-Forwarded-Proto")).toBe("https");
    expect(facts.header("X-Api-Key")).toBe("k-1");
  });

  it("nothing of the proxy's own request", async () => {
    const facts = await factsOf({
      method: "DELETE",
      headers: { "Transfer-Encoding": "chunked", Expect: "100-continue" },
    });
    expect(facts).toMatchObject({ method: "", target: "", path: "", host: "", remoteAddress: undefined });
    for (const name of ["host", "connection", "content-length", "transfer-encoding", "expect", "upgrade"]) {
      expect(facts.header(name)).toBeUndefined();
    }
  });

  it("how many lines a header has", async () => {
    const facts = await factsOfText("X-API-Key: a\r\nx-api-key: b1\r\nAccept: c");
    expect(["x-api-key", "accept", "x"].map((name) => facts.lines?.(name)?.length)).toEqual([2, 1, 0]);
    expect(header("x-api-key")(facts)).toBe("");
  });

  it("nothing that an untrusted peer forwards", async () => {
    const facts = await factsOf({ headers: { ...FORWARDED, "X-API-Key": "k-1" } }, UNTRUSTED);
    expect(facts).toMatchObject({ method: "", target: "", path: "", host: "", remoteAddress: "127.0.0.1" });
    for (const name of Object.keys(FORWARDED)) expect(facts.header(name)).toBeUndefined();
    expect(facts.header("x-api-key")).toBe("k-1");
  });

  it("one client, whether or not their key functions trust proxies themselves", async () => {
    const facts = await factsOf({ headers: FORWARDED });
    for (const trustProxy of [false, "loopback", 1, 2] as const) {
      expect(clientIp({ trustProxy })(facts)).toBe("203.0.113.7");
    }
  });

  it("a whole IPv6 address, whose prefix the key function chooses", async () => {
    const facts = await factsOf({ headers: { "X-Forwarded-For": "[2001:db8:1:2::3]:4711" } });
    expect(facts.remoteAddress).toBe("2001:db8:1:2::3");
    expect(clientIp()(facts)).toBe("2001:db8:1:2::/64");
  });

  it.each<[string, TrustProxy, string]>([
    ["a proxy of any address", 1, "203.0.113.7"],
    ["two proxies of any address", 2, "6.6.6.6"],
    ["no proxy", 0, "127.0.0.1"],
    ["a list with the peer and the next", ["127.0.0.1", "203.0.113.0/24"], "6.6.6.6"],
    ["a list without the peer", ["203.0.113.0/24"], "127.0.0.1"],
  ])("the client's address by the rules of trustProxy: %s", async (_title, trustProxy, address) => {
    expect((await factsOf({ headers: FORWARDED }, trustProxy)).remoteAddress).toBe(address);
  });

  it("each client of a connection, however often it asks", async () => {
    const { limiter, seen } = perAddress(1_000);
    const { url } = await serveChecks({ limiter });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const clients = [
      ["203.0.113.7", "203.0.113.7"],
      ["6.6.6.6, 203.0.113.8", "203.0.113.8"],
      ["::ffff:203.0.113.7", "203.0.113.7"],
      ["2001:db8::1", "2001:db8::1"],
      ["unknown", undefined],
      ["", undefined],
      [`${"6.6.6.6, ".repeat(20)}203.0.113.9`, "203.0.113.9"],
    ] as const;
    for (let i = 0; i < 60; i += 1) {
      const [forwarded] = clients[(i * 3) % clients.length]!;
      await call(`${url}/check`, { agent, headers: { "X-Forwarded-For": forwarded } });
    }
    const expected = Array.from({ length: 60 }, (_, i) => clients[(i * 3) % clients.length]![1]);
    expect(seen.map(({ remoteAddress }) => remoteAddress)).toEqual(expected);
  });

  it("a client on the proxy's machine", async () => {
    for (const address of ["127.0.0.1", "::ffff:127.0.0.1", "127.0.0.1:4711", "6.6.6.6, 127.0.0.1"]) {
      const facts = await factsOf({ headers: { "X-Forwarded-For": address } }, 1);
      expect(facts.remoteAddress).toBe("127.0.0.1");
    }
  });

  it.each([{}, { "X-Forwarded-For": "6.6.6.6, unknown" }])("no address of a proxy's own: %j", async (headers) => {
    for (const trustProxy of [["127.0.0.1"], 1, 2]) {
      expect((await factsOf({ headers }, trustProxy)).remoteAddress).toBeUndefined();
    }
  });

  it.each([
    ["/a#b?c", "/a#b?c", "/a"],
    ["/%61/..//b", "/%61/..//b", "/%61/..//b"],
    ["http://other.example/a?b", "/a?b", "/a"],
    ["*", "*", "*"],
    ["", "", ""],
    ["?a=http://b/c", "?a=http://b/c", ""],
    ["/\u00ff\u00fe", "/\u00ff\u00fe", "/\u00ff\u00fe"],
  ])("the URI %j as target and path", async (uri, target, path) => {
    expect(await factsOf({ headers: { "X-Forwarded-Uri": uri } })).toMatchObject({ target, path });
  });

  it("the last of repeated lines, which the nearest proxy wrote", async () => {
    const facts = await factsOfText(
      "X-Forwarded-Uri: /forged,\r\nX-FORWARDED-URI: /true\r\n" +
        "X-Forwarded-Method: HEAD\r\nX-Forwarded-Method: GET\r\n" +
        "X-Forwarded-For: 6.6.6.6\r\nX-Forwarded-For: 203.0.113.7",
    );
    expect(facts).toMatchObject({ target: "/true", method: "GET", remoteAddress: "203.0.113.7" });
  });

  it("several lines of other headers, as Node joins them", async () => {
    const facts = await factsOfText(
      "X-Tag: a\r\nX-TAG: b\r\nSet-Cookie: c=1\r\nSet-Cookie: d=2\r\nAuthorization: e\r\nAuthorization: f\r\nX-One:  g ",
    );
    expect(facts.header("x-tag")).toBe("a, b");
    expect(facts.header("authorization")).toBe("e");
    expect(facts.header("x-one")).toBe("g");
    expect(facts.header("set-cookie")).toBe("c=1, d=2");
    expect(facts.header("constructor")).toBeUndefined();
  });
});
