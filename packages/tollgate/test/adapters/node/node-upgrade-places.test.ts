import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { concurrency, type Limiter } from "tollgate";
import { type HttpFacts, rateLimit, type UpgradeListener } from "tollgate/node";
import { describe, expect, it } from "vitest";
import { bucketOf, left, manualLimiter } from "../suite/case.ts";
import { urlOf } from "../suite/node-server.ts";
import { until } from "../suite/until.ts";

const UPGRADE = "GET /socket HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n";

function accept(socket: Duplex): void {
  socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n");
}

/** A server with one place for each client, whose upgrades are handled by a listener. */
async function serve(listener: UpgradeListener) {
  const { limiter } = manualLimiter([concurrency({ max: 1, ttl: "1m" })]);
  return { url: await urlOf(createServer().on("upgrade", rateLimit({ limiter }).upgrade(listener))), limiter };
}

async function open(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => {});
  socket.setEncoding("latin1");
  await once(socket, "connect");
  socket.write(UPGRADE);
  return socket;
}

async function firstBytes(socket: Socket): Promise<string> {
  const [first] = (await once(socket, "data")) as [string];
  return first.split("\r\n")[0]!;
}

function inUse(limiter: Limiter<HttpFacts>): number {
  return limiter.explain({ remoteAddress: "127.0.0.1" } as HttpFacts)[0]!.used;
}

describe("an upgrade that waits for its turn", () => {
  async function serveInTurn(listener: UpgradeListener) {
    const { clock, limiter } = manualLimiter([bucketOf(1)]);
    const url = await urlOf(createServer().on("upgrade", rateLimit({ limiter, maxWait: "1s" }).upgrade(listener)));
    const isHeldUp = () => {
      const decision = limiter.peek({ remoteAddress: "127.0.0.1" } as HttpFacts);
      return !decision.allowed && decision.reason === "others-waiting";
    };
    return { clock, limiter, isHeldUp, url };
  }

  it("gets what its client has sent meanwhile, and a client that goes leaves the line", async () => {
    let received = "";
    const { clock, isHeldUp, limiter, url } = await serveInTurn((_request, socket) => {
      socket.on("data", (chunk: Buffer) => {
        received += chunk.toString("latin1");
      });
      accept(socket);
    });
    expect(await firstBytes(await open(url))).toBe("HTTP/1.1 101 Switching Protocols");
    const gone = await open(url);
    await until(isHeldUp, "it waits");
    gone.destroy();
    await until(() => !isHeldUp(), "it has gone");
    const next = await open(url);
    await until(isHeldUp, "the next waits");
    next.write("early");
    clock.advance(1_000);
    expect(await firstBytes(next)).toBe("HTTP/1.1 101 Switching Protocols");
    next.write(" and late");
    await until(() => received === "early and late", "all has come");
    clock.advance(1_000);
    expect(left(limiter)).toBe(1);
  });
});

describe("the place of a connection that is upgraded", () => {
  it("is freed at the upgrade, while the connection goes on", async () => {
    const used: number[] = [];
    const { limiter, url } = await serve((_request, socket) => {
      used.push(inUse(limiter));
      accept(socket);
    });
    for (let i = 0; i < 2; i += 1) expect(await firstBytes(await open(url))).toBe("HTTP/1.1 101 Switching Protocols");
    expect([used, inUse(limiter)]).toEqual([[1, 1], 0]);
  });

  it("is held while the listener's promise is pending, and taken by no denied client", async () => {
    const upgrade: (() => void)[] = [];
    const { limiter, url } = await serve(async (_request, socket) => {
      await new Promise<void>((resolve) => upgrade.push(resolve));
      accept(socket);
    });
    const first = await open(url);
    await until(() => upgrade.length === 1, "the listener works");
    expect(await firstBytes(await open(url))).toBe("HTTP/1.1 429 Too Many Requests");
    expect(inUse(limiter)).toBe(1);
    upgrade[0]?.();
    expect(await firstBytes(first)).toBe("HTTP/1.1 101 Switching Protocols");
    await until(() => inUse(limiter) === 0, "it is freed");
  });

  it("is freed when the client goes while the listener's promise is pending", async () => {
    let calls = 0;
    const { limiter, url } = await serve((_request, client) => {
      calls += 1;
      // The listener owns the socket, and Node sees its end only if it is read.
      client.resume().once("end", () => client.destroy());
      return new Promise<void>(() => {});
    });
    const socket = await open(url);
    await until(() => calls === 1, "the listener works");
    expect(inUse(limiter)).toBe(1);
    socket.destroy();
    await until(() => inUse(limiter) === 0, "it is freed");
  });

  it("is freed if the listener throws", async () => {
    const { limiter } = manualLimiter([concurrency({ max: 1, ttl: "1m" })]);
    const limited = rateLimit({ limiter }).upgrade(() => {
      throw new Error("no upgrade");
    });
    const server = createServer();
    const caught: unknown[] = [];
    server.on("upgrade", (request, socket, head) => {
      try {
        limited(request, socket, head);
      } catch (error) {
        caught.push(error, inUse(limiter));
        socket.destroy();
      }
    });
    await once(await open(await urlOf(server)), "close");
    expect(caught).toEqual([new Error("no upgrade"), 0]);
  });
});
