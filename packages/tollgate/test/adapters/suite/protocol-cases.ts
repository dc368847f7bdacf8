import { Agent, request as httpRequest } from "node:http";
import { expect } from "vitest";
import { AMPLE, bucketOf, left, manualLimiter, type SuiteCase } from "./case.ts";
import { send, sendRaw } from "./client.ts";

/** The statuses in what came back over one connection. */
function statusesIn(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
}

export const PROTOCOL_CASES: readonly SuiteCase[] = [
  {
    name: "counts each request of a kept-alive connection",
    run: async (start) => {
      const url = await start({ limiter: manualLimiter([bucketOf(2)]).limiter });
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const ports = new Set<number | undefined>();
      const get = () =>
        new Promise<number | undefined>((resolve, reject) => {
          const sent = httpRequest(`${url}/ok`, { agent }, (response) => {
            ports.add(response.socket.localPort);
            response.resume();
            response.on("end", () => resolve(response.statusCode));
          });
          sent.on("error", reject);
          sent.end();
        });
      expect([await get(), await get(), await get()]).toEqual([200, 200, 429]);
      expect(ports.size).toBe(1);
      agent.destroy();
    },
  },
  {
    name: "answers pipelined requests in order",
    run: async (start) => {
      const url = await start({ limiter: manualLimiter([bucketOf(2)]).limiter });
      const one = "GET /ok HTTP/1.1\r\nHost: here\r\n\r\n";
      expect(statusesIn(await sendRaw(url, one.repeat(4), 4))).toEqual([200, 200, 429, 429]);
    },
  },
  {
    name: "sends headers and no body for HEAD",
    run: async (start) => {
      const url = await start({ limiter: manualLimiter([bucketOf(1)]).limiter });
      const passed = await send(`${url}/ok`, { method: "HEAD" });
      expect([passed.status, passed.body, passed.headers["ratelimit"]]).toEqual([200, "", '"bucket";r=0;t=1']);
      const denied = await send(`${url}/ok`, { method: "HEAD" });
      expect([denied.status, denied.body, denied.headers["retry-after"]]).toEqual([429, "", "1"]);
    },
  },
  {
    name: "counts OPTIONS like any other method, unless it is skipped",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(2)]);
      const url = await start({ limiter, skip: ({ method, path }) => method === "OPTIONS" && path === "/status/204" });
      expect((await send(`${url}/status/204`, { method: "OPTIONS" })).status).toBe(204);
      expect(left(limiter)).toBe(2);
      expect((await send(`${url}/ok`, { method: "OPTIONS" })).status).toBe(200);
      expect(left(limiter)).toBe(1);
    },
  },
  {
    name: "denies a request whose body stays unread, and keeps the connection usable",
    run: async (start) => {
      const url = await start({ limiter: manualLimiter([bucketOf(1)]).limiter });
      const post = "POST /ok HTTP/1.1\r\nHost: here\r\nContent-Length: 5\r\n\r\nabcde";
      const get = "GET /ok HTTP/1.1\r\nHost: here\r\n\r\n";
      expect(statusesIn(await sendRaw(url, get + post + get, 3))).toEqual([200, 429, 429]);
    },
  },
  {
    name: "reads a header by its name in any case, and several lines of it as one list",
    run: async (start) => {
      const seen: (string | undefined)[] = [];
      const skip = (facts: { header(name: string): string | undefined }) => {
        seen.push(facts.header("X-Several"), facts.header("x-several"), facts.header("X-Missing"));
        seen.push(facts.header("__proto__"), facts.header("constructor"));
        return false;
      };
      const url = await start({ limiter: manualLimiter([AMPLE]).limiter, skip });
      await sendRaw(url, "GET /ok HTTP/1.1\r\nHost: here\r\nX-Several: a\r\nx-several: b\r\n\r\n", 1);
      expect(seen).toEqual(["a, b", "a, b", undefined, undefined, undefined]);
    },
  },
  {
    name: "reads the path without the query",
    run: async (start) => {
      const paths: string[] = [];
      const url = await start({ limiter: manualLimiter([AMPLE]).limiter, skip: ({ path }) => paths.push(path) < 0 });
      await send(`${url}/ok?a=/b?c`);
      await send(`${url}/status/200`);
      expect(paths).toEqual(["/ok", "/status/200"]);
    },
  },
  {
    name: "reads the same path whatever host and fragment the request's target has",
    run: async (start) => {
      const paths: string[] = [];
      const url = await start({ limiter: manualLimiter([AMPLE]).limiter, skip: ({ path }) => paths.push(path) < 0 });
      const targets = ["/ok", "http://a1/ok", "http://u@[::1]:81/ok?/b", "/ok#1", "/ok#?a", "/ok?a#/b"];
      const text = targets.map((target) => `GET ${target} HTTP/1.1\r\nHost: here\r\n\r\n`).join("");
      expect(statusesIn(await sendRaw(url, text, targets.length))).toEqual(targets.map(() => 200));
      expect(paths).toEqual(targets.map(() => "/ok"));
    },
  },
];
