import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createLimiter } from "tollgate";
import { factsOf, type RateLimitWrapper, rateLimit, type UpgradeListener } from "tollgate/node";
import { describe, expect, it } from "vitest";
import { AsyncTwin } from "../../testing/async-twin.ts";
import { bucketOf, left, manualLimiter, perAddress } from "../suite/case.ts";
import { send } from "../suite/client.ts";
import { urlOf } from "../suite/node-server.ts";
import { until } from "../suite/until.ts";

const UPGRADE = "GET /socket HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n";
const CONNECT = "CONNECT there.example:443 HTTP/1.1\r\nHost: there.example:443\r\n\r\n";

const accept = (_request: IncomingMessage, socket: Duplex, _head: Buffer): void => {
  socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n");
  socket.pipe(socket);
};

async function serve(limit: RateLimitWrapper, listener: UpgradeListener = accept): Promise<string> {
  const server = createServer(limit((_request, response) => void response.end("hello")));
  server.on("upgrade", limit.upgrade(listener));
  server.on("connect", limit.upgrade(listener));
  return urlOf(server);
}

async function open(url: string, allowHalfOpen = false): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen });
  socket.on("error", () => {});
  socket.setEncoding("latin1");
  await once(socket, "connect");
  return socket;
}

/** The first bytes that come back. */
async function handshake(url: string, text = UPGRADE): Promise<string> {
  const socket = await open(url);
  socket.write(text);
  const [first] = (await once(socket, "data")) as [string];
  return first;
}

/** All that comes back until the server closes. */
async function answerTo(url: string, text = UPGRADE): Promise<{ head: string; body: string }> {
  const socket = await open(url);
  let received = "";
  socket.on("data", (chunk: string) => {
    received += chunk;
  });
  socket.write(text);
  await once(socket, "close");
  const [head = "", body = ""] = received.split("\r\n\r\n");
  return { head, body };
}

describe("a limited listener for upgrades", () => {
  it.each([
    ["upgrade", UPGRADE],
    ["connect", CONNECT],
  ])("gets a complete denial written to the socket for a denied client: %s", async (_event, text) => {
    const { limiter } = manualLimiter([bucketOf(2)]);
    const url = await serve(rateLimit({ limiter }));
    expect(await handshake(url, text)).toMatch(/^HTTP\/1.1 101 /);
    expect((await send(`${url}/`)).status).toBe(200);
    const { body, head } = await answerTo(url, text);
    const [status, ...headers] = head.split("\r\n");
    expect(status).toBe("HTTP/1.1 429 Too Many Requests");
    expect(headers.filter((header) => !header.startsWith("Date: "))).toEqual([
      "Connection: close",
      "Content-Type: application/json; charset=utf-8",
      "Content-Length: 52",
      'RateLimit-Policy: "bucket";q=2;w=2',
      'RateLimit: "bucket";r=0;t=1',
      "Retry-After: 1",
      "Cache-Control: no-store",
    ]);
    expect(body).toBe('{"error":"rate limit exceeded","retry_after_secs":1}');
    expect((await send(`${url}/`)).status).toBe(429);
  });

  it("finds the decision in the request, and gets the head's bytes", async () => {
    const seen: unknown[] = [];
    const url = await serve(rateLimit({ limiter: manualLimiter([bucketOf(3)]).limiter }), (request, socket, head) => {
      seen.push(request.rateLimit?.remaining, head.toString());
      accept(request, socket, head);
    });
    await handshake(url, `${UPGRADE}first`);
    expect(seen).toEqual([2, "first"]);
  });

  it.each([
    ["throw", "HTTP/1.1 500 Internal Server Error", '{"error":"internal server error"}'],
    ["deny", "HTTP/1.1 503 Service Unavailable", '{"error":"service unavailable"}'],
  ] as const)("answers and logs a failure of the limiter, at once or later: %s", async (onError, status, text) => {
    const broken = (): never => {
      throw new Error("the secret inside");
    };
    for (const input of [broken, async () => broken()]) {
      const logged: unknown[] = [];
      const { limiter } = manualLimiter([bucketOf(1)]);
      const url = await serve(rateLimit({ limiter, input, onError, logError: (error) => logged.push(error) }));
      const { body, head } = await answerTo(url);
      expect([head.split("\r\n")[0], body, logged]).toEqual([status, text, [new Error("the secret inside")]]);
      expect(head).toContain("Cache-Control: no-store");
    }
  });

  it("gets 403 for clients on the deny list, and passes failures if onError is allow", async () => {
    const { limiter } = manualLimiter([bucketOf(1)]);
    const refusing = await serve(rateLimit({ limiter, denyList: ["127.0.0.1"] }));
    expect((await answerTo(refusing)).head).toMatch(/^HTTP\/1.1 403 Forbidden\r\n/);
    const cost = (): never => {
      throw new Error("no cost");
    };
    const allowing = await serve(rateLimit({ limiter, cost, onError: "allow", logError: () => {} }));
    expect(await handshake(allowing)).toMatch(/^HTTP\/1.1 101 /);
    expect(left(limiter)).toBe(1);
  });

  it("calls neither chargeAfter nor onDenied", async () => {
    const { limiter } = manualLimiter([bucketOf(1)]);
    let asked = 0;
    const count = () => {
      asked += 1;
      return 0;
    };
    const url = await serve(rateLimit({ limiter, chargeAfter: count, onDenied: () => void count() }));
    expect(await handshake(url)).toMatch(/^HTTP\/1.1 101 /);
    expect((await answerTo(url)).head).toMatch(/^HTTP\/1.1 429 /);
    expect([asked, left(limiter)]).toEqual([0, 0]);
  });

  it("is not called for a client that resets its connection while the store decides", async () => {
    const store = new AsyncTwin();
    const limiter = createLimiter({ name: "far", key: perAddress, limits: [bucketOf(5)], store });
    const served: Socket[] = [];
    let listened = 0;
    let asked = 0;
    const url = await serve(
      rateLimit({
        limiter,
        skip: (request) => {
          asked += 1;
          served.push(request.socket);
          return false;
        },
      }),
      (request, upgraded, head) => {
        listened += 1;
        accept(request, upgraded, head);
      },
    );
    const answer = store.hold();
    const client = await open(url);
    client.write(UPGRADE);
    await until(() => asked === 1, "it is asked");
    const socket = served[0] as Socket;
    expect(socket.listenerCount("error")).toBeGreaterThan(0);
    client.resetAndDestroy();
    // A socket that is not read from learns of it late.
    socket.resume();
    await until(() => socket.destroyed, "the server has noticed");
    answer();
    // One request on, the one before has been decided and acted on.
    expect(await handshake(url)).toMatch(/^HTTP\/1.1 101 /);
    expect(listened).toBe(1);
    expect((await limiter.peek(factsOf({ socket: { remoteAddress: "127.0.0.1" } } as never), 0)).remaining).toBe(3);
  });

  it("has an error listener on each socket, whether the client passed or not", async () => {
    const seen: number[] = [];
    const url = await serve(rateLimit({ limiter: manualLimiter([bucketOf(1)]).limiter }), (request, socket, head) => {
      seen.push(socket.listenerCount("error"));
      accept(request, socket, head);
    });
    const client = await open(url);
    client.write(UPGRADE);
    await once(client, "data");
    client.write("much ".repeat(100_000));
    client.resetAndDestroy();
    const denied = await open(url);
    denied.write(UPGRADE);
    denied.resetAndDestroy();
    expect((await answerTo(url)).head).toMatch(/^HTTP\/1.1 429 /);
    // One that is gone at once has no address, and so a limit of its own: it may have passed, too.
    expect(seen.every((listeners) => listeners > 0)).toBe(true);
  });

  it("sends the whole denial to a client that goes on sending", async () => {
    const url = await serve(rateLimit({ limiter: manualLimiter([bucketOf(1)]).limiter, cost: 2 }));
    const { body } = await answerTo(url, UPGRADE + "x".repeat(2_000_000));
    expect(body).toBe('{"error":"rate limit exceeded","retry_after_secs":null}');
  });

  it("cuts off a denied client that does not close the connection", async () => {
    const url = await serve(rateLimit({ limiter: manualLimiter([bucketOf(1)]).limiter, cost: 2 }));
    const client = await open(url, true);
    client.write(UPGRADE);
    const closed = new Promise((resolve) => client.once("close", resolve));
    const drip = setInterval(() => client.write("still here"), 5);
    await closed;
    clearInterval(drip);
  });
});
