import { once } from "node:events";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
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

  it("may leave the rest of a body unread, as after 413", async () => {
    let closed = 0;
    const leave = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const chunks = request[Symbol.asyncIterator]();
      await chunks.next();
      await chunks.return?.();
      response.end(request.url);
    };
    const { url } = await serve((request, response) => {
      response.once("close", () => {
        closed += 1;
      });
      void leave(request, response);
    });
    const client = await openConnection(url);
    client.send(`POST /0 HTTP/1.1\r\nHost: here\r\nContent-Length: 100000\r\n\r\n${"a".repeat(90_000)}`);
    await vi.waitFor(() => expect(closed).toBe(1));
    const next = await openConnection(url);
    next.send(requests(20));
    await next.receives(/\/19$/);
    expect(pathsIn(next)).toHaveLength(20);
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
