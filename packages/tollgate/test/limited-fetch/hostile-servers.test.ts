import { createServer, type RequestListener } from "node:http";
import { createServer as createSocketServer } from "node:net";
import { concurrency, createLimiter, perSecond } from "tollgate";
import { limitedFetch } from "tollgate/limited-fetch";
import { describe, expect, it } from "vitest";
import { urlOf } from "../adapters/suite/node-server.ts";

async function serve(listener: RequestListener): Promise<string> {
  return new URL(await urlOf(createServer({ maxHeaderSize: 1 << 20 }, listener))).host;
}

function onePlace() {
  return createLimiter({ limits: [concurrency({ max: 1, ttl: "1h" })] });
}

const inUse = (limiter: ReturnType<typeof onePlace>, host: string) => limiter.explain(host)[0]!.used;

/** Sockets end in turns of the event loop. */
async function until(condition: () => boolean): Promise<void> {
  for (const endMs = performance.now() + 20_000; !condition() && performance.now() < endMs; )
    await new Promise((resolve) => setImmediate(resolve));
  expect(condition()).toBe(true);
}

describe("limitedFetch over servers that do harm", () => {
  it("blocks the host that answered after a redirect, and waits for it before the retry", async () => {
    const limiter = createLimiter({ limits: [perSecond(1_000)] });
    const times: number[] = [];
    const busy = await serve((_, response) => {
      times.push(performance.now());
      if (times.length === 1) response.writeHead(429, { "Retry-After": "0.2" }).end("later");
      else response.writeHead(429, { "Retry-After": "600" }).end("much later");
    });
    const first = await serve((_, response) => response.writeHead(302, { Location: `http://${busy}/` }).end());
    const response = await limitedFetch(limiter, { retries: 1 })(`http://${first}/`);
    expect([response.status, await response.text(), response.url]).toEqual([429, "much later", `http://${busy}/`]);
    expect(times[1]! - times[0]!).toBeGreaterThan(199);
    expect([limiter.blockedUntil(first), limiter.blockedUntil(busy) !== undefined]).toEqual([undefined, true]);
  });

  it("holds a place until the body has been read, cancelled or broken off", async () => {
    const limiter = onePlace();
    const host = await serve(({ url }, response) => {
      response.setHeader("X-Path", url!);
      if (url === "/none") response.end();
      else response.write("begun");
      if (url === "/short") response.end(" and done");
      if (url === "/broken") setTimeout(() => response.destroy(), 20);
    });
    const get = limitedFetch(limiter);

    const short = await get(`http://${host}/short`);
    expect(inUse(limiter, host)).toBe(1);
    expect([short.url, short.headers.get("x-path"), short.ok]).toEqual([`http://${host}/short`, "/short", true]);
    expect(await short.text()).toBe("begun and done");
    await until(() => inUse(limiter, host) === 0);

    const bytes = (await get(`http://${host}/short`)).body!.getReader({ mode: "byob" });
    let read = 0;
    for (let part = await bytes.read(new Uint8Array(4)); !part.done; part = await bytes.read(new Uint8Array(4)))
      read += part.value.byteLength;
    expect(read).toBe(14);
    await until(() => inUse(limiter, host) === 0);

    const endless = await get(`http://${host}/endless`);
    const reader = endless.body!.getReader({ mode: "byob" });
    expect((await reader.read(new Uint8Array(3))).value).toEqual(new TextEncoder().encode("beg"));
    expect(inUse(limiter, host)).toBe(1);
    await reader.cancel();
    await until(() => inUse(limiter, host) === 0);

    const hangUp = new AbortController();
    const aborted = await get(`http://${host}/endless`, { signal: hangUp.signal });
    hangUp.abort(new Error("gone"));
    await expect(aborted.text()).rejects.toThrow("gone");
    await until(() => inUse(limiter, host) === 0);

    // It is not read at all.
    await get(`http://${host}/broken`);
    await until(() => inUse(limiter, host) === 0);

    await limitedFetch(limiter, { hold: "headers" })(`http://${host}/endless`);
    expect(inUse(limiter, host)).toBe(0);
    expect((await get(`http://${host}/none`, { method: "HEAD" })).body).toBeNull();
    expect(inUse(limiter, host)).toBe(0);
  });

  it("returns an answer with a status above 599 as it is, and frees its place at once", async () => {
    const limiter = onePlace();
    const host = await serve((_, response) => response.writeHead(999, "Request denied").end("no"));
    const response = await limitedFetch(limiter)(`http://${host}/`);
    expect([response.status, response.statusText]).toEqual([999, "Request denied"]);
    await until(() => inUse(limiter, host) === 0);
    expect(await response.text()).toBe("no");
  });

  it("retries under one place, though the server breaks its answers off", async () => {
    const limiter = onePlace();
    let requests = 0;
    const host = await serve((_, response) => {
      requests += 1;
      if (requests === 3) {
        response.end("at last");
        return;
      }
      response.writeHead(503, { "Retry-After": "0.1", "Content-Length": "1000" }).write("part");
      // The first one never ends.
      if (requests === 2) setTimeout(() => response.destroy(), 10);
    });
    const response = await limitedFetch(limiter, { retries: 5 })(`http://${host}/`);
    expect([response.status, await response.text(), requests]).toEqual([200, "at last", 3]);
    await until(() => inUse(limiter, host) === 0);
  });

  it("frees the place if the server hangs up, or sends no HTTP", async () => {
    const limiter = onePlace();
    const server = createSocketServer((socket) => socket.resume().end("HTTP/1.1 2x0 :\r\n\r\n"));
    const { host } = new URL(await urlOf(server));
    await expect(limitedFetch(limiter, { retries: 3 })(`http://${host}/`)).rejects.toThrow("fetch failed");
    expect(inUse(limiter, host)).toBe(0);
  });

  it("goes on under thousands of limits, numbers out of range and texts that are no fields", async () => {
    const texts = [
      Array.from({ length: 600 }, (_, i) => `"p${i}";q=${100 + i};w=${i}`).join(),
      '"a";q=-5;w=-1, "b";q=999999999999999;w=999999999999999, "c";q=1e9;w=NaN',
      '"a";r=0;t=-1, "b";r=-0;t=999999999999999',
      '"a";q=2;w=0.0000001, "b";q=0;w=10, "c";q=99999999999;w=10, "d";q=5;w=1.00005',
      `"${"\\".repeat(6_000)}`,
      `a${";b".repeat(3_000)}`,
      "(((((((((1 2);a);b);c",
    ];
    let sent = 0;
    const host = await serve((_, response) => {
      const text = texts[sent % texts.length]!;
      sent += 1;
      response.setHeader("RateLimit-Policy", text);
      for (let i = 0; i < 20; i += 1) response.setHeader(`X-RateLimit-Remaining-${i}`, i < 10 ? "-1" : "1e999");
      response.setHeader("Retry-After", oddDelay(sent));
      response.end("hello");
    });
    const limiter = createLimiter({ limits: [perSecond(1_000)] });
    const get = limitedFetch(limiter, { learn: true, maxBlock: 1, retries: 2 });
    for (let i = 0; i < 24; i += 1) expect(await (await get(`http://${host}/`)).text()).toBe("hello");
    expect(limiter.peek(host, 0).retryAfterMs).toBeLessThan(1_000);
  });
});

/** Odd values of `Retry-After`. */
function oddDelay(sent: number): string {
  return ["-1", "999999999999", "0.0000001", "Infinity", "1, 2", "Sat, 99 Foo 9999 99:99:99 GMT"][sent % 6]!;
}
