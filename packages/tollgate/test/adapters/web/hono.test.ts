import { EventEmitter, once } from "node:events";
import type { IncomingMessage, Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { serve, upgradeWebSocket } from "@hono/node-server";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { createLimiter, type Denied, perMinute } from "tollgate";
import { clientIp, factsOf, type HttpFacts, type RateLimited, type RateLimitOptions, rateLimit } from "tollgate/hono";
import { describe, expect, expectTypeOf, it } from "vitest";
import { bucketOf, left } from "../suite/case.ts";
import { sendRaw } from "../suite/client.ts";
import { bucketLimiter, limitedApp, listen, WAYS } from "./hono-apps.ts";

describe("the address of a Hono request", () => {
  const addressBy = async (env: unknown, options: Pick<RateLimitOptions<HttpFacts>, "remoteAddress"> = {}) => {
    let seen: string | undefined = "none";
    const key = (facts: HttpFacts) => {
      seen = facts.remoteAddress;
      return "all";
    };
    const app = limitedApp({ limiter: createLimiter({ key, limits: [bucketOf(5)] }), ...options });
    expect((await app.request("/", {}, env as object)).status).toBe(200);
    return seen;
  };
  const requestIP = function (this: unknown, request: Request) {
    return this === bun && request.url === "http://localhost/" ? { address: "192.0.2.2" } : null;
  };
  const bun = { requestIP };

  it.each([
    ["Node", { incoming: { socket: { remoteAddress: "192.0.2.1" } } }, "192.0.2.1"],
    ["Node, under a name", { server: { incoming: { socket: { remoteAddress: "192.0.2.1" } } } }, "192.0.2.1"],
    ["Node, the peer gone", { incoming: { socket: {} } }, undefined],
    ["Node, a session of HTTP/2 over", { incoming: {} }, undefined],
    ["Bun", bun, "192.0.2.2"],
    ["Bun, under a name", { server: bun }, "192.0.2.2"],
    ["Bun, the peer gone", { requestIP: () => null }, undefined],
    ["Deno", { remoteAddr: { hostname: "192.0.2.3", transport: "tcp" } }, "192.0.2.3"],
    ["Deno, a unix socket", { remoteAddr: { path: "/tmp/socket", transport: "unix" } }, undefined],
    ["a Worker", { SECRET: "1" }, undefined],
    ["a Worker whose bindings are called so", { incoming: () => {}, outgoing: () => {}, server: () => {} }, undefined],
    ["no bindings", undefined, undefined],
  ])("is the one that the server tells: %s", async (_who, env, address) => {
    expect(await addressBy(env)).toBe(address);
  });

  it("is the one that the option tells, whatever the server tells", async () => {
    for (const none of ["", null, undefined] as const) {
      expect(await addressBy({}, { remoteAddress: () => none as string | undefined })).toBeUndefined();
    }
    const remoteAddress = (context: Context) => context.req.header("x-none") ?? "192.0.2.9";
    expect(await addressBy({ incoming: { socket: { remoteAddress: "192.0.2.1" } } }, { remoteAddress })).toBe(
      "192.0.2.9",
    );
  });

  it("is unknown without a server, so that all requests share a key", async () => {
    const app = limitedApp({ limiter: createLimiter({ key: clientIp(), limits: [bucketOf(1)] }) });
    expect([(await app.request("/")).status, (await app.request("/")).status]).toEqual([200, 429]);
  });
});

describe("the path of a Hono request", () => {
  it("is the one that the client sent, in the application and in a route", async () => {
    const paths: string[] = [];
    const limit = () =>
      rateLimit({ limiter: bucketLimiter(9), skip: (context) => paths.push(factsOf(context).path) < 0 });
    const inner = new Hono().use(limit()).get("/a b/:id", (context) => context.text("inner"));
    const app = new Hono({ getPath: (request) => decodeURI(new URL(request.url).pathname) });
    app.use("/api/*", limit()).route("/api", inner);
    const url = await listen(app);
    for (const base of ["http://localhost", url]) {
      const path = "/api/a%20b/%2F?c=/d#e";
      const answer = base === url ? await fetch(base + path) : await app.request(base + path);
      expect(answer.status).toBe(200);
    }
    expect(paths).toEqual(Array<string>(4).fill("/api/a%20b/%2F"));
  });
});

describe("errors behind the limiter of Hono", () => {
  it.each(WAYS)("of a handler that returns nothing are Hono's own: %s", async (_where, ask) => {
    const app = limitedApp({ limiter: bucketLimiter(5) });
    app.get("/nothing", (() => undefined) as unknown as MiddlewareHandler);
    const answer = await ask(app, "/nothing");
    expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining("Context is not finalized")]);
  });

  it.each([
    ["none", undefined, "rateLimit: expected an object of options, got undefined; write rateLimit({ limiter })"],
    ["no limiter", {}, "limiter: expected one made by createLimiter or combine, got undefined"],
    [
      "remoteAddress",
      { limiter: bucketLimiter(1), remoteAddress: "::1" },
      'remoteAddress: expected a function of the context, got "::1"',
    ],
  ])("in the options are thrown at construction: %s", (_what, options, message) => {
    expect(() => rateLimit(options as RateLimitOptions<HttpFacts> & { input?: never })).toThrow(
      expect.objectContaining({ code: "ERR_OPTION", message }),
    );
  });
});

describe("a response of Hono with status 101", () => {
  it("is unchanged", async () => {
    const sign = new Response(null);
    Object.defineProperty(sign, "status", { value: 101 });
    const app = limitedApp({ limiter: bucketLimiter(5) });
    app.get("/socket", () => sign);
    expect(await app.request("/socket")).toBe(sign);
    expect(sign.headers.has("ratelimit")).toBe(false);
  });
});

describe("a WebSocket handshake of Hono", () => {
  it("is limited by address on @hono/node-server", async () => {
    const accepting = Object.assign(new EventEmitter(), {
      options: { noServer: true },
      close: () => {},
      handleUpgrade: (_request: IncomingMessage, socket: Socket) =>
        void socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"),
    });
    const limiter = bucketLimiter(1);
    const app = limitedApp({ limiter });
    app.get("/socket", upgradeWebSocket(() => ({})) as MiddlewareHandler);
    const server = serve({
      fetch: app.fetch,
      port: 0,
      hostname: "127.0.0.1",
      websocket: { server: accepting },
    }) as Server;
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const handshake = "GET /socket HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    const url = `http://127.0.0.1:${port}`;
    expect(await sendRaw(url, handshake, 1)).toMatch(/^HTTP\/1.1 101 /);
    expect(left(limiter)).toBe(0);
    const denied = await sendRaw(url, handshake, 1);
    expect(denied).toMatch(/^HTTP\/1.1 429 /);
    expect(denied).toContain("\r\nretry-after: 1\r\n");
    server.close();
  });
});

describe("the types of the adapter of Hono", () => {
  it("describe the decision and the options", async () => {
    const strings = createLimiter({ limits: [perMinute(5)] });
    const app = new Hono<{ Variables: { own: number } }>();
    app.use(
      rateLimit({
        limiter: strings,
        input: (context) => context.req.path,
        onDenied: (context, decision) => {
          expectTypeOf(decision).toEqualTypeOf<Denied>();
          return context.text("denied");
        },
      }),
    );
    app.get("/", (context) => {
      expectTypeOf(context.get("rateLimit")).toEqualTypeOf<RateLimited | undefined>();
      expectTypeOf(context.var.rateLimit).toEqualTypeOf<RateLimited | undefined>();
      expectTypeOf(context.get("own")).toEqualTypeOf<number>();
      return context.text("hello");
    });
    // @ts-expect-error -- A limiter of strings needs an input.
    expect(() => rateLimit({ limiter: strings })).toThrow("expected one with a key function");
    expect((await app.request("/")).status).toBe(200);
  });
});
