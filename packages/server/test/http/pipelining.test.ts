import { once } from "node:events";
import type { RequestListener, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createGuardedServer, DEFAULT_BOUNDS } from "../../src/http/guarded-server.ts";
import { MOST_AT_ONCE } from "../../src/http/pipelining.ts";
import { type Connection, openConnection } from "../support/connection.ts";

interface Guarded {
  readonly url: string;
  /** How many requests were parsed, served or not. */
  readonly parsed: () => number;
  readonly sockets: readonly Socket[];
}

async function serve(listener: RequestListener): Promise<Guarded> {
  let parsed = 0;
  const sockets: Socket[] = [];
  const server = createGuardedServer(listener, DEFAULT_BOUNDS);
  server.on("connection", (socket) => sockets.push(socket));
  server.prependListener("request", () => {
    parsed += 1;
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, parsed: () => parsed, sockets };
}

/** Requests in one piece, which ask for their number. */
function requests(count: number): string {
  return Array.from({ length: count }, (_, index) => `GET /${index} HTTP/1.1\r\nHost: here\r\n\r\n`).join("");
}

/** Paths, which the answers of these tests are. */
function pathsIn({ received }: Connection): string[] {
  return [...received.matchAll(/\r\n\r\n(\/\d+)/g)].map(([, path]) => path ?? "");
}

const answerPath: RequestListener = ({ url }, response) => void response.end(url);

describe("pipelined requests of one client", () => {
  it("may have bodies that are not read to the end", async () => {
    const { url } = await serve((request, response) => {
      void (async () => {
        for await (const _ of request) break;
        response.end("enough");
      })();
    });
    for (let times = 0; times < 2; times += 1) {
      const client = await openConnection(url);
      client.send(`POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 100000\r\n\r\n${"x".repeat(70_000)}`);
      await client.receives(/enough$/);
    }
  });

  it(`are served in order, and at most ${MOST_AT_ONCE} at once`, async () => {
    const open: [string, ServerResponse][] = [];
    let most = 0;
    const { url, parsed } = await serve(({ url: path = "" }, response) => {
      open.push([path, response]);
      most = Math.max(most, open.length);
    });
    const client = await openConnection(url);
    client.send(requests(100));
    const served: string[] = [];
    while (served.length < 100) {
      while (open.length === 0) await new Promise((resolve) => setImmediate(resolve));
      if (served.length === 0) expect([parsed(), open.length]).toEqual([100, MOST_AT_ONCE]);
      const [path, response] = open.shift() as [string, ServerResponse];
      served.push(path);
      response.end(path);
    }
    await client.receives(/\/99$/);
    expect(most).toBe(MOST_AT_ONCE);
    expect(served).toEqual(Array.from({ length: 100 }, (_, index) => `/${index}`));
    expect(pathsIn(client)).toEqual(served);
    client.send("GET /again HTTP/1.1\r\nHost: here\r\n\r\n");
    while (open.length === 0) await new Promise((resolve) => setImmediate(resolve));
    open[0]?.[1].end("/again");
    await client.receives(/\/again$/);
  });

  it("let requests of another client be served in between", async () => {
    const order: string[] = [];
    let other: Connection | undefined;
    const { url } = await serve((request, response) => {
      // All that follows is parsed by now: the other client asks as late as it can.
      if (order.length === 0) other?.send("GET /other HTTP/1.1\r\nHost: here\r\n\r\n");
      order.push(request.url ?? "");
      answerPath(request, response);
    });
    other = await openConnection(url);
    const client = await openConnection(url);
    client.send(requests(1_500));
    await client.receives(/\/1499$/);
    await other.receives(/\/other$/);
    expect(order).toHaveLength(1_501);
    expect(order.indexOf("/other")).toBeLessThan(1_000);
  });

  it("are not served after the connection has closed", async () => {
    const open: ServerResponse[] = [];
    const { parsed, sockets, url } = await serve((_request, response) => void open.push(response));
    const client = await openConnection(url);
    client.send(requests(100));
    while (parsed() < 100) await new Promise((resolve) => setImmediate(resolve));
    sockets[0]?.destroy();
    await client.closed;
    for (const response of open) response.end();
    const next = await openConnection(url);
    next.send(requests(1));
    while (parsed() < 101) await new Promise((resolve) => setImmediate(resolve));
    // Requests are served when the turn in which they arrive ends.
    for (let turns = 0; turns < 3; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(open).toHaveLength(MOST_AT_ONCE + 1);
  });

  it("are not read while some wait, even if Node resumes the socket", async () => {
    const { parsed, sockets, url } = await serve((_request, response) => {
      // That of the other client, by which the server is known to have read on.
      if (sockets[1] === response.socket) response.end("/read");
    });
    const client = await openConnection(url);
    client.send(requests(100));
    while (parsed() < 100) await new Promise((resolve) => setImmediate(resolve));
    sockets[0]?.resume();
    client.send(requests(100));
    const other = await openConnection(url);
    for (let i = 0; i < 3; i += 1) {
      other.received = "";
      other.send("GET /other HTTP/1.1\r\nHost: here\r\n\r\n");
      await other.receives(/\/read$/);
    }
    expect(parsed()).toBe(103);
  });
});
