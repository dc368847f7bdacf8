import { beforeEach, describe, expect, it } from "vitest";
import { eventuallyTrue } from "./eventually.ts";
import type { RawConnection } from "./raw-connection.ts";
import type { RedisServer } from "./redis-server.ts";
import type { TcpProxy } from "./start-proxy.ts";
import { connectHere, startProxyHere, startRedisHere } from "./test-servers.ts";

const PING_BYTES = "*1\r\n$4\r\nPING\r\n".length;
const PONG_BYTES = "+PONG\r\n".length;

/** Covers immediate events on this machine. */
const A_WHILE_MS = 60;

async function aWhile(): Promise<"nothing"> {
  return new Promise((resolve) => setTimeout(resolve, A_WHILE_MS, "nothing" as const));
}

let redis: RedisServer;
let proxy: TcpProxy;
let connection: RawConnection;

beforeEach(async () => {
  redis = await startRedisHere();
  proxy = await startProxyHere(redis);
  connection = await connectHere(proxy);
  await connection.call("PING");
});

async function countOf(key: string): Promise<number> {
  return Number(await redis.command("GET", key));
}

describe("startProxy", () => {
  it("the proxy passes everything, and counts", async () => {
    const other = await connectHere(proxy);
    expect(await Promise.all([other.call("PING"), connection.call("PING")])).toEqual(["PONG", "PONG"]);
    expect(proxy.counters).toEqual({
      connections: 2,
      openConnections: 2,
      resets: 0,
      requestBytes: 3 * PING_BYTES,
      requestBytesPassed: 3 * PING_BYTES,
      replyBytes: 3 * PONG_BYTES,
      replyBytesPassed: 3 * PONG_BYTES,
    });
    other.close();
    await eventuallyTrue("the end of one", () => proxy.counters.openConnections === 1);
  });

  it("the proxy forwards how the server ends a connection", async () => {
    await redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await expect(connection.call("PING")).rejects.toThrow();
    await eventuallyTrue("the end", () => proxy.counters.openConnections === 0);
    await redis.kill();
    const refused = await connectHere(proxy);
    await expect(refused.call("PING")).rejects.toThrow("ECONNRESET");
  });

  it("the proxy delays each direction, and keeps the order", async () => {
    proxy.delay(200, 50);
    const startedMs = performance.now();
    const answers = Promise.all([1, 2, 3].map(async () => connection.call("INCR", "a")));
    expect(await countOf("a")).toBe(0);
    expect(await answers).toEqual([1, 2, 3]);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(249);
  });

  it("a cut proxy resets all connections, and refuses new ones until it passes", async () => {
    proxy.cut();
    await expect(connection.call("PING")).rejects.toThrow("ECONNRESET");
    await expect(connectHere(proxy)).rejects.toThrow("ECONNREFUSED");
    await proxy.pass();
    expect(await (await connectHere(proxy)).call("PING")).toBe("PONG");
    expect(proxy.counters.resets).toBe(1);
  });

  it("the proxy resets connections and accepts new ones", async () => {
    const answer = connection.call("BLPOP", "none", 0);
    await eventuallyTrue("the request", () => proxy.counters.requestBytesPassed > PING_BYTES);
    proxy.resetAll();
    await expect(answer).rejects.toThrow("ECONNRESET");
    expect(await (await connectHere(proxy)).call("PING")).toBe("PONG");
  });

  it("the proxy cuts once, after a request that reached the server", async () => {
    proxy.cutAfterRequest();
    await expect(connection.call("INCR", "a")).rejects.toThrow("ECONNRESET");
    expect(await countOf("a")).toBe(1);
    expect(await (await connectHere(proxy)).call("INCR", "a")).toBe(2);
    expect(proxy.counters).toMatchObject({ resets: 1, replyBytesPassed: PONG_BYTES + ":2\r\n".length });
  });

  it("the proxy cuts after a given number of matching requests", async () => {
    proxy.cutAfterRequest({ times: 2, containing: "INCR" });
    expect(await connection.call("PING")).toBe("PONG");
    await expect(connection.call("INCR", "a")).rejects.toThrow("ECONNRESET");
    const second = await connectHere(proxy);
    expect(await second.call("PING")).toBe("PONG");
    await expect(second.call("INCR", "a")).rejects.toThrow("ECONNRESET");
    expect(await (await connectHere(proxy)).call("INCR", "a")).toBe(3);
  });

  it("a half-open proxy forwards requests, and holds replies until it passes", async () => {
    proxy.halfOpen();
    const answer = connection.call("INCR", "a");
    await eventuallyTrue("the request", async () => (await countOf("a")) === 1);
    expect(await Promise.race([answer, aWhile()])).toBe("nothing");
    // New connections behave the same.
    void (await connectHere(proxy)).call("INCR", "a").catch(() => {});
    await eventuallyTrue("the request", async () => (await countOf("a")) === 2);
    await proxy.pass();
    expect(await answer).toBe(1);
  });

  it("the proxy can drop the replies of a half-open connection", async () => {
    proxy.halfOpen();
    const answer = connection.call("INCR", "a");
    await eventuallyTrue("the reply", () => proxy.counters.replyBytes > PONG_BYTES);
    await proxy.pass("drop");
    await expect(answer).rejects.toThrow("ECONNRESET");
    expect(await countOf("a")).toBe(1);
  });

  it("a black hole can release what it swallowed", async () => {
    proxy.blackHole();
    const late = await connectHere(proxy);
    const answers = Promise.all([connection.call("INCR", "a"), late.call("INCR", "a")]);
    expect(await Promise.race([answers, aWhile()])).toBe("nothing");
    expect(await countOf("a")).toBe(0);
    await proxy.pass("release");
    expect(new Set(await answers)).toEqual(new Set([1, 2]));
  });

  it("a black hole can drop what it swallowed, with the connections that lost bytes", async () => {
    const idle = await connectHere(proxy);
    proxy.blackHole();
    const answer = connection.call("INCR", "a");
    await eventuallyTrue("the request", () => proxy.counters.requestBytes > PING_BYTES);
    await proxy.pass("drop");
    await expect(answer).rejects.toThrow("ECONNRESET");
    expect(await idle.call("INCR", "a")).toBe(1);
  });

  it("the proxy forwards held requests later, even if their client is gone", async () => {
    const pending = connection.call("BLPOP", "list", 0);
    await eventuallyTrue("the request", () => proxy.counters.requestBytesPassed > PING_BYTES);
    proxy.hold();
    const gone = await connectHere(proxy);
    void gone.call("INCR", "a").catch(() => {});
    await eventuallyTrue("both", () => proxy.counters.requestBytes > proxy.counters.requestBytesPassed);
    gone.close();
    await redis.command("RPUSH", "list", "x");
    expect(await pending).toEqual([Buffer.from("list"), Buffer.from("x")]);
    await aWhile();
    expect(await countOf("a")).toBe(0);
    await proxy.release();
    await eventuallyTrue("the request", async () => (await countOf("a")) === 1);
    await eventuallyTrue("its end", () => proxy.counters.openConnections === 1);
  });

  it("a cut proxy loses what it held", async () => {
    proxy.hold();
    const answer = connection.call("INCR", "a");
    await eventuallyTrue("the request", () => proxy.counters.requestBytes > PING_BYTES);
    proxy.cut();
    await expect(answer).rejects.toThrow("ECONNRESET");
    await proxy.pass();
    expect(await (await connectHere(proxy)).call("INCR", "a")).toBe(1);
  });
});
