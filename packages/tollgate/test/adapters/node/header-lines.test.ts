import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { createLimiter, perMinute } from "tollgate";
import { factsOf as honoFactsOf } from "tollgate/hono";
import { clientIp, factsOf, type HttpFacts, header, rateLimit } from "tollgate/node";
import { describe, expect, it } from "vitest";
import { urlOf } from "../suite/node-server.ts";

/** Sends header lines as they stand. @returns the status. */
async function send(url: string, lines: readonly string[]): Promise<number> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write(["GET / HTTP/1.1", "Host: a", ...lines, "", ""].join("\r\n"));
  const [data] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return Number(data.toString().split(" ")[1]);
}

/** The facts of a request that a server has got. */
async function factsOfLines(lines: readonly string[], maxHeadersCount?: number): Promise<HttpFacts> {
  let seen: IncomingMessage | undefined;
  const server = createServer({ maxHeaderSize: 100_000 }, (request, response) => {
    seen = request;
    response.end();
  });
  if (maxHeadersCount !== undefined) server.maxHeadersCount = maxHeadersCount;
  await send(await urlOf(server), lines);
  return factsOf(seen as IncomingMessage);
}

const TWO_LINES = ["X-API-Key: a", "x-api-key: b1", "Authorization: c", "authorization: d"];
const fill = (count: number) => Array.from({ length: count }, (_, i) => `x${i}: 1`);

describe("the lines of a header, as Node has got them", () => {
  it("are counted, also where Node keeps the first", async () => {
    const facts = await factsOfLines(TWO_LINES);
    expect(facts.header("authorization")).toBe("c");
    expect(["x-api-key", "authorization", "host", "x"].map((name) => facts.lines?.(name)?.length)).toEqual([
      2, 2, 1, 0,
    ]);
    expect(["x-api-key", "Authorization"].map((name) => header(name)(facts))).toEqual(["", ""]);
  });

  it("are counted under Hono", async () => {
    const keys: string[] = [];
    const app = new Hono();
    app.get("/", (context) => {
      keys.push(...["x-api-key", "host"].map((name) => header(name)(honoFactsOf(context))));
      return context.text("");
    });
    const serve = getRequestListener(app.fetch);
    await send(await urlOf((request, response) => void serve(request, response)), TWO_LINES);
    expect(keys).toEqual(["", "a"]);
  });

  it.each<[max: number | undefined, sent: number, isKnown: boolean]>([
    [undefined, 998, true],
    [undefined, 999, false],
    [undefined, 1_500, false],
    [50, 48, true],
    [50, 49, false],
    [0, 1_500, true],
  ])("with maxHeadersCount %s and %i lines are known: %s", async (max, sent, isKnown) => {
    const facts = await factsOfLines(fill(sent), max);
    expect(facts.lines?.("host")).toEqual(isKnown ? ["a"] : "dropped");
  });
});

describe("a request whose line of the proxy Node has dropped", () => {
  it("is no request of the proxy, nor of the client that it names", async () => {
    const key = clientIp({ trustProxy: "loopback" });
    const limiter = createLimiter({ key, limits: [perMinute(1)] });
    const allowList = ["loopback", "192.0.2.1"];
    const limited = rateLimit({ limiter, clientIp: key, allowList })((_request, response) => void response.end());
    const url = await urlOf(createServer({ maxHeaderSize: 100_000 }, limited));
    const full = [...fill(1_100), "X-Forwarded-For: 203.0.113.7"];
    expect([await send(url, full), await send(url, full)]).toEqual([200, 429]);
    expect(await send(url, ["X-Forwarded-For: 192.0.2.1", ...full])).toBe(429);
    expect(await send(url, ["X-Forwarded-For: 192.0.2.1"])).toBe(200);
  });
});
