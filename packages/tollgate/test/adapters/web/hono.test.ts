import { EventEmitter, once } from "node:events";
import type { IncomingMessage, Server } from "node:http";
import { connect as connectHttp2, constants, createServer as createHttp2Server, type Http2Server } from "node:http2";
import { type AddressInfo, connect, type Socket } from "node:net";
import { createAdaptorServer, type HttpBindings, serve, upgradeWebSocket } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { HTTPException } from "hono/http-exception";
import { createLimiter, type Decision, type Denied, type Limiter, perMinute } from "tollgate";
import { clientIp, factsOf, type HttpFacts, type Outcome, type RateLimitOptions, rateLimit } from "tollgate/hono";
import { afterEach, describe, expect, expectTypeOf, it, vi } from "vitest";
import { AsyncTwin } from "../../testing/async-twin.ts";
import { bucketOf, held, left, perAddress } from "../suite/case.ts";
import { type Answer, send, sendHttp2, sendRaw } from "../suite/client.ts";
import type { RunningServer } from "../suite/harness.ts";
import { listenHere } from "../suite/node-server.ts";
import { until } from "../suite/until.ts";

const servers: RunningServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function listen(app: Hono): Promise<string> {
  const server = await listenHere(createAdaptorServer({ fetch: app.fetch }) as Server);
  servers.push(server);
  return server.url;
}

const of = (capacity: number): Limiter<HttpFacts> => held([bucketOf(capacity)]).limiter;

function limitedBy(options: RateLimitOptions<HttpFacts> & { readonly input?: never }): Hono {
  const app = new Hono();
  app.use(rateLimit(options));
  app.get("/", (context) => context.text("hello"));
  app.onError((error, context) => context.text(error.message, 500));
  return app;
}

/** Each field as the client gets it, the first line apart. */
async function linesOf(url: string): Promise<string[]> {
  const head = (await sendRaw(url, `GET ${new URL(url).pathname} HTTP/1.1\r\nHost: here\r\n\r\n`, 1)).split(
    "\r\n\r\n",
  )[0];
  return (head ?? "").split("\r\n").slice(1);
}

/** The same application asked over a socket of Node, and by nobody who hands over a response. */
const ways: readonly (readonly [string, (app: Hono, path: string) => Promise<Response>])[] = [
  ["on Node", async (app, path) => fetch((await listen(app)) + path, { redirect: "manual" })],
  ["elsewhere", async (app, path) => app.request(path)],
];

describe.each(ways)("the fields survive %s", (_where, ask) => {
  const fields = async (handler: (context: Context) => Response | Promise<Response>) => {
    const app = limitedBy({ limiter: of(5) });
    app.get("/handled", handler);
    const { headers, status } = await ask(app, "/handled");
    return [status, headers.get("ratelimit-policy"), headers.get("ratelimit")];
  };
  const both = ['"bucket";q=5;w=5', '"bucket";r=4;t=1'];

  it.each<[string, (context: Context) => Response | Promise<Response>, number]>([
    ["a helper's response", (context) => context.json({ a: 1 }), 200],
    ["a plain response", () => new Response("plain"), 200],
    ["a response without a body", () => new Response(null, { status: 204 }), 204],
    ["a stream", () => new Response(new Blob(["streamed"]).stream()), 200],
    ["a response whose fields do not change", () => Response.redirect("http://localhost/there", 302), 302],
    ["a response that was fetched", async () => fetch("data:text/plain,fetched"), 200],
    ["a response in another's place", (context) => replaced(context), 203],
    ["an error", () => Promise.reject(new HTTPException(409, { message: "failed" })), 500],
  ])("%s", async (_what, handler, status) => {
    expect(await fields(handler)).toEqual([status, ...both]);
  });

  function replaced(context: Context): Response {
    context.res = new Response("one", { headers: { "x-one": "1" } });
    context.res = new Response("another", { status: 203 });
    return context.res;
  }

  it("where no route is found", async () => {
    const answer = await ask(limitedBy({ limiter: of(5) }), "/nowhere");
    expect([answer.status, answer.headers.get("ratelimit")]).toEqual([404, both[1]]);
  });

  it("but those of the handler stand", async () => {
    const app = limitedBy({ limiter: of(5) });
    app.get("/own", (context) => context.text("own", 200, { rAtElImIt: '"other";r=1' }));
    app.get("/fetched", () => new Response(new Blob(["own"]).stream(), { headers: { RateLimit: '"other";r=1' } }));
    for (const path of ["/own", "/fetched"]) {
      const { headers } = await ask(app, path);
      expect([headers.get("ratelimit"), headers.get("ratelimit-policy")]).toEqual(['"other";r=1', both[0]]);
    }
  });

  it.each<[string, MiddlewareHandler, string]>([
    ["nothing", async (_context, next) => next(), ""],
    ["what cors exposes", cors({ origin: "*", exposeHeaders: ["X-Own"] }), "X-Own, "],
    [
      "what a helper exposes",
      async (context, next) => {
        context.header("Access-Control-Expose-Headers", "X-Own");
        await next();
      },
      "X-Own, ",
    ],
  ])("and are exposed beside %s", async (_what, first, own) => {
    const exposedBy = async (options: Pick<RateLimitOptions<HttpFacts>, "onDenied">) => {
      const app = new Hono();
      app.use(first, rateLimit({ limiter: of(1), exposeHeaders: true, ...options }));
      app.get("/", (context) => context.text("hello"));
      const answers = [await ask(app, "/"), await ask(app, "/")];
      return answers.map(({ headers }) => headers.get("access-control-expose-headers"));
    };
    const all = `${own}RateLimit-Policy, RateLimit, Retry-After`;
    expect(await exposedBy({})).toEqual([all, all]);
    expect(await exposedBy({ onDenied: (context) => context.text("denied") })).toEqual([all, all]);
  });

  it("and are exposed once where two limiters stand one behind the other", async () => {
    const app = new Hono();
    for (const capacity of [9, 1]) app.use(rateLimit({ limiter: of(capacity), exposeHeaders: true }));
    app.get("/", (context) => context.text("hello"));
    for (const expected of [200, 429]) {
      const { headers, status } = await ask(app, "/");
      expect([status, headers.get("access-control-expose-headers")]).toEqual([
        expected,
        "RateLimit-Policy, RateLimit, Retry-After",
      ]);
    }
  });

  it("anew where the handler returns the same response again", async () => {
    const app = limitedBy({ limiter: of(5), exposeHeaders: true });
    const kept = new Response(null, { status: 204 });
    app.get("/kept", () => kept);
    const told = [await ask(app, "/kept"), await ask(app, "/kept")].map(({ headers }) => headers.get("ratelimit"));
    expect(told).toEqual(['"bucket";r=4;t=1', '"bucket";r=3;t=2']);
  });

  it("and are exposed beside what a response that was fetched exposes", async () => {
    const upstream = new Hono();
    upstream.get("/", (context) => context.text("up", 200, { "Access-Control-Expose-Headers": "X-Up" }));
    const url = await listen(upstream);
    const app = limitedBy({ limiter: of(5), exposeHeaders: true });
    app.get("/fetched", () => fetch(url));
    const answer = await ask(app, "/fetched");
    const exposed = answer.headers.get("access-control-expose-headers");
    expect([await answer.text(), exposed]).toEqual(["up", "X-Up, RateLimit-Policy, RateLimit, Retry-After"]);
  });
});

describe("on the wire", () => {
  it("each field stands once", async () => {
    const app = new Hono();
    for (const capacity of [9, 1]) app.use(rateLimit({ limiter: of(capacity), exposeHeaders: true }));
    app.get("/", (context) => context.text("hello"));
    const url = `${await listen(app)}/`;
    for (const wanted of [0, 2]) {
      const names = (await linesOf(url)).map((line) => line.split(":")[0]?.toLowerCase());
      expect(new Set(names.filter((name) => name?.startsWith("ratelimit")))).toEqual(
        new Set(["ratelimit", "ratelimit-policy"]),
      );
      expect(names.filter((name) => name === "retry-after" || name === "cache-control")).toHaveLength(wanted);
      expect(new Set(names).size).toBe(names.length);
    }
  });
});

describe("a response that the handler sends by Node's own", () => {
  const overHttp2 = async (app: Hono): Promise<Answer> => {
    const options = { fetch: app.fetch, port: 0, hostname: "127.0.0.1", createServer: createHttp2Server };
    const server = serve(options) as Http2Server;
    await once(server, "listening");
    const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    try {
      return await sendHttp2(session, "/");
    } finally {
      session.close();
      server.close();
    }
  };
  const versions: readonly (readonly [string, (app: Hono) => Promise<Answer>])[] = [
    ["HTTP/1", async (app) => send(await listen(app))],
    ["HTTP/2", overHttp2],
  ];
  const heads: readonly (readonly [string, (outgoing: HttpBindings["outgoing"]) => unknown])[] = [
    ["an object", (outgoing) => outgoing.writeHead(201, { "Set-Cookie": ["a=1", "b=2"] })],
    ["a list", (outgoing) => outgoing.writeHead(201, ["Set-Cookie", "a=1", "Set-Cookie", "b=2"])],
    [
      "nothing",
      (outgoing) => {
        outgoing.statusCode = 201;
        outgoing.setHeader("Set-Cookie", ["a=1", "b=2"]);
      },
    ],
  ];

  describe.each(versions)("over %s", (version, ask) => {
    it.each([...heads, ...(version === "HTTP/1" ? withReason() : [])])(
      "has the fields, its head written with %s",
      async (_what, writeHead) => {
        const app = new Hono<{ Bindings: HttpBindings }>();
        app.use(rateLimit({ limiter: of(5), exposeHeaders: true }));
        app.get("/", ({ env: { outgoing } }) => {
          writeHead(outgoing);
          outgoing.end("raw");
          return RESPONSE_ALREADY_SENT;
        });
        const { body, headers, status } = await ask(app as unknown as Hono);
        expect([status, body, headers["set-cookie"]]).toEqual([201, "raw", ["a=1", "b=2"]]);
        expect([headers["ratelimit-policy"], headers["ratelimit"]]).toEqual(['"bucket";q=5;w=5', '"bucket";r=4;t=1']);
        expect(headers["access-control-expose-headers"]).toBe("RateLimit-Policy, RateLimit, Retry-After");
      },
    );
  });

  /** HTTP/2 has none, and Node warns of one. */
  function withReason(): typeof heads {
    return [["a reason", (outgoing) => outgoing.writeHead(201, "Made", { "Set-Cookie": ["a=1", "b=2"] })]];
  }

  it("is told of as it was where somebody else gave it while the limiter was asked", async () => {
    const outcomes: Outcome[] = [];
    const app = new Hono<{ Bindings: HttpBindings }>();
    const input = async (context: Context) => {
      const { outgoing } = context.env as HttpBindings;
      outgoing.writeHead(503).end("too slow");
      await once(outgoing, "close");
      return factsOf(context);
    };
    const chargeAfter = (_context: Context, outcome: Outcome) => outcomes.push(outcome);
    app.use(rateLimit({ limiter: of(5), input, cost: 0, chargeAfter }));
    const printed = vi.spyOn(console, "error");
    expect((await send(await listen(app as unknown as Hono))).body).toBe("too slow");
    await until(() => outcomes.length === 1, "it is told");
    expect(outcomes).toEqual([{ status: 503, bytes: 0, completed: true }]);
    expect(printed).not.toHaveBeenCalled();
    printed.mockRestore();
  });

  it("is kept out of where somebody else has begun it while the limiter was asked", async () => {
    const app = new Hono<{ Bindings: HttpBindings }>();
    const input = async (context: Context) => {
      if (context.req.path === "/begun") (context.env as HttpBindings).outgoing.write("begun ");
      return factsOf(context);
    };
    app.use(async ({ env }, next) => {
      setTimeout(() => env.outgoing.end("and done"), 20);
      await next();
    });
    app.use(rateLimit({ limiter: of(1), input }));
    app.get("/", (context) => context.text("hello"));
    const url = await listen(app as unknown as Hono);
    await send(url);
    const answer = await send(`${url}/begun`);
    expect([answer.status, answer.body]).toEqual([200, "begun and done"]);
  });
});

describe("a response that has begun before the limiter is asked", () => {
  it("goes on as it was", async () => {
    const app = new Hono<{ Bindings: HttpBindings }>();
    app.use(async (context, next) => {
      context.env.outgoing.writeHead(200).write("begun ");
      await next();
    });
    app.use(rateLimit({ limiter: of(5) }));
    app.get("/", (context) => {
      context.env.outgoing.end(`and ${context.get("rateLimit")?.remaining} left`);
      return RESPONSE_ALREADY_SENT;
    });
    const answer = await send(await listen(app as unknown as Hono));
    expect([answer.body, answer.headers["ratelimit"]]).toEqual(["begun and 4 left", undefined]);
  });
});

describe("the client's address", () => {
  const addressBy = async (env: unknown, options: Pick<RateLimitOptions<HttpFacts>, "remoteAddress"> = {}) => {
    let seen: string | undefined = "none";
    const key = (facts: HttpFacts) => {
      seen = facts.remoteAddress;
      return "all";
    };
    const app = limitedBy({ limiter: createLimiter({ key, limits: [bucketOf(5)] }), ...options });
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
    ["nobody", undefined, undefined],
  ])("as %s tells it", async (_who, env, address) => {
    expect(await addressBy(env)).toBe(address);
  });

  it("as the option tells it, before all others", async () => {
    for (const nobody of ["", null, undefined] as const) {
      expect(await addressBy({}, { remoteAddress: () => nobody as string | undefined })).toBeUndefined();
    }
    const remoteAddress = (context: Context) => context.req.header("x-none") ?? "192.0.2.9";
    expect(await addressBy({ incoming: { socket: { remoteAddress: "192.0.2.1" } } }, { remoteAddress })).toBe(
      "192.0.2.9",
    );
  });

  it("is unknown without one: all share a key", async () => {
    const app = limitedBy({ limiter: createLimiter({ key: clientIp(), limits: [bucketOf(1)] }) });
    expect([(await app.request("/")).status, (await app.request("/")).status]).toEqual([200, 429]);
  });
});

describe("the path", () => {
  it("is as it was sent, wherever the limiter stands", async () => {
    const paths: string[] = [];
    const limit = () => rateLimit({ limiter: of(9), skip: (context) => paths.push(factsOf(context).path) < 0 });
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

describe("where it stands", () => {
  it("limits one route, one sub-application, and no other", async () => {
    const [ofRoute, ofPart] = [of(1), of(2)];
    const part = new Hono().use(rateLimit({ limiter: ofPart })).get("/in", (context) => context.text("in"));
    const app = new Hono()
      .get("/route", rateLimit({ limiter: ofRoute }), (context) => context.text("route"))
      .get("/free", (context) => context.text("free"))
      .route("/part", part);
    const statuses = async (path: string) => [(await app.request(path)).status, (await app.request(path)).status];
    expect(await statuses("/route")).toEqual([200, 429]);
    expect(await statuses("/part/in")).toEqual([200, 200]);
    expect(await statuses("/part/in")).toEqual([429, 429]);
    expect(await statuses("/free")).toEqual([200, 200]);
  });

  it.each(ways)("two of them both count, and the last tells: %s", async (_where, ask) => {
    const [many, few] = [of(9), of(1)];
    const app = new Hono();
    app.use(rateLimit({ limiter: many }));
    app.use(rateLimit({ limiter: few, skip: (context) => context.req.path === "/skipped" }));
    app.get("/:name", (context) => context.text(String(context.get("rateLimit")?.remaining)));
    expect((await ask(app, "/once")).headers.get("ratelimit")).toBe('"bucket";r=0;t=1');
    expect((await ask(app, "/again")).status).toBe(429);
    expect(await (await ask(app, "/skipped")).text()).toBe("6");
  });
});

describe("errors", () => {
  it("go to onError as they are, at once or later", async () => {
    const error = new RangeError("no key");
    const key = () => {
      throw error;
    };
    const far = createLimiter<HttpFacts>({ name: "far", key, limits: [bucketOf(5)], store: new AsyncTwin() });
    for (const limiter of [createLimiter<HttpFacts>({ key, limits: [bucketOf(5)] }), far]) {
      const seen: unknown[] = [];
      const app = limitedBy({ limiter });
      app.onError((thrown, context) => {
        seen.push(thrown);
        return context.text("broken", 502);
      });
      expect([(await app.request("/")).status, seen]).toEqual([502, [error]]);
    }
  });

  it.each(ways)("of a handler that returns nothing are those of Hono: %s", async (_where, ask) => {
    const app = limitedBy({ limiter: of(5) });
    app.get("/nothing", (() => undefined) as unknown as MiddlewareHandler);
    const answer = await ask(app, "/nothing");
    expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining("Context is not finalized")]);
  });

  it("that are none let nothing pass", async () => {
    let handled = 0;
    for (const input of [() => Promise.reject(undefined), () => Promise.reject(0)]) {
      const app = new Hono();
      app.use(rateLimit({ limiter: createLimiter({ limits: [perMinute(5)] }), input }));
      app.get("/", (context) => {
        handled += 1;
        return context.text("hello");
      });
      expect((await fetch(await listen(app))).status).toBe(500);
    }
    expect(handled).toBe(0);
  });

  it.each([
    ["none", undefined, "rateLimit: expected an object of options, got undefined"],
    ["no limiter", {}, "limiter: expected one made by createLimiter or combine, got undefined"],
    [
      "remoteAddress",
      { limiter: of(1), remoteAddress: "::1" },
      'remoteAddress: expected a function of the context, got "::1"',
    ],
  ])("in the options are told at once: %s", (_what, options, message) => {
    expect(() => rateLimit(options as RateLimitOptions<HttpFacts> & { input?: never })).toThrow(
      expect.objectContaining({ code: "ERR_OPTION", message }),
    );
  });
});

describe.each(ways)("a denial %s", (_where, ask) => {
  const denied = async (options: Partial<RateLimitOptions<HttpFacts>>, first?: MiddlewareHandler) => {
    const app = new Hono();
    if (first !== undefined) app.use(first);
    app.use(rateLimit({ limiter: of(1), ...options } as RateLimitOptions<HttpFacts> & { input?: never }));
    app.get("/", (context) => context.text("hello"));
    await ask(app, "/");
    return ask(app, "/");
  };

  it("has what others set before, but is not to be stored", async () => {
    for (const first of [
      async (context, next) => {
        context.header("X-Request-Id", "7");
        context.header("Cache-Control", "public");
        await next();
      },
      async (context, next) => {
        context.res.headers.set("X-Request-Id", "7");
        context.res.headers.set("Cache-Control", "public");
        await next();
      },
    ] satisfies MiddlewareHandler[]) {
      const { headers, status } = await denied({}, first);
      expect([status, headers.get("x-request-id"), headers.get("cache-control")]).toEqual([429, "7", "no-store"]);
    }
  });

  it("by onDenied has status and fields, whatever it returns", async () => {
    for (const [onDenied, expected] of [
      [(context: Context) => context.text("slow"), 429],
      [async (context: Context) => context.json({ slow: "down" }), 429],
      [() => new Response("slow", { status: 420 }), 420],
      [() => Response.redirect("http://localhost/slow", 303), 303],
    ] as const) {
      const { headers, status } = await denied({ onDenied });
      const fields = ["retry-after", "cache-control", "ratelimit"].map((name) => headers.get(name));
      expect([status, ...fields]).toEqual([expected, "1", "no-store", '"bucket";r=0;t=1']);
    }
  });

  it("by onDenied may set the fields anew", async () => {
    const onDenied = (context: Context) => context.text("slow", 429, { "Retry-After": "60" });
    expect((await denied({ onDenied })).headers.get("retry-after")).toBe("60");
  });
});

describe("the sign for a web socket", () => {
  it("is left as it is", async () => {
    const sign = new Response(null);
    Object.defineProperty(sign, "status", { value: 101 });
    const app = limitedBy({ limiter: of(5) });
    app.get("/socket", () => sign);
    expect(await app.request("/socket")).toBe(sign);
    expect(sign.headers.has("ratelimit")).toBe(false);
  });
});

describe("a client that goes while the store is asked", () => {
  it("needs no handler, and costs what it cost", async () => {
    const store = new AsyncTwin();
    const limiter = createLimiter({ name: "far", key: perAddress, limits: [bucketOf(10)], store });
    const events = new EventEmitter();
    const handled: string[] = [];
    const outcomes: Outcome[] = [];
    const app = new Hono<{ Bindings: { incoming: IncomingMessage } }>();
    const input = (context: Context) => {
      (context.env as { incoming: IncomingMessage }).incoming.socket.on("close", () => events.emit("gone"));
      events.emit("asked");
      return factsOf(context);
    };
    const chargeAfter = (_context: Context, outcome: Outcome) => {
      outcomes.push(outcome);
      return 1;
    };
    app.use(rateLimit({ limiter, input, chargeAfter }));
    app.get("/:name", (context) => {
      handled.push(context.req.path);
      return context.text("hello");
    });
    const url = await listen(app as unknown as Hono);
    const answer = store.hold();
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    // The second waits behind the first.
    socket.write("GET /gone HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2));
    await once(events, "asked");
    const gone = once(events, "gone");
    socket.destroy();
    await gone;
    answer();
    await send(`${url}/there`);
    await until(() => outcomes.length === 3, "all are told");
    expect(handled).toEqual(["/there"]);
    expect(outcomes.slice(0, 2)).toEqual([1, 2].map(() => ({ status: 0, bytes: 0, completed: false })));
  });
});

describe("chargeAfter", () => {
  const recorded = () => {
    const outcomes: Outcome[] = [];
    const chargeAfter = (_context: unknown, outcome: Outcome) => {
      outcomes.push(outcome);
      return 1;
    };
    return { outcomes, app: limitedBy({ limiter: of(99), chargeAfter }) };
  };
  const tick = () => new Promise((resolve) => setTimeout(resolve, 10));

  it("elsewhere is asked when the body is read to its end, or cancelled, or none", async () => {
    const { app, outcomes } = recorded();
    app.get("/none", (context) => context.body(null, 204));
    await (await app.request("/")).text();
    await (await app.request("/")).body?.cancel();
    await app.request("/none");
    await app.request("/", { method: "HEAD" });
    await tick();
    expect(outcomes).toEqual([
      { status: 200, bytes: 5, completed: true },
      { status: 200, bytes: 0, completed: false },
      { status: 204, bytes: 0, completed: true },
      { status: 200, bytes: 0, completed: true },
    ]);
  });

  it("elsewhere is asked once when the client goes before there is an answer", async () => {
    const { app, outcomes } = recorded();
    const controller = new AbortController();
    app.get("/slow", async (context) => {
      controller.abort();
      await tick();
      expect(outcomes).toEqual([]);
      return context.text("too late", 202);
    });
    await (await app.request("/slow", { signal: controller.signal })).text();
    await tick();
    expect(outcomes).toEqual([{ status: 202, bytes: 0, completed: false }]);
  });

  it("elsewhere is asked once when nobody answers, or what is thrown is no error", async () => {
    const { app, outcomes } = recorded();
    app.get("/nothing", (() => undefined) as unknown as MiddlewareHandler);
    app.get("/none", () => Promise.reject("no error"));
    const answer = await app.request("/nothing");
    expect([answer.status, answer.headers.get("ratelimit")]).toEqual([500, '"bucket";r=98;t=1']);
    await expect(Promise.resolve(app.request("/none"))).rejects.toBe("no error");
    await tick();
    expect(outcomes).toEqual([1, 2].map(() => ({ status: 500, bytes: 0, completed: false })));
  });

  it("elsewhere has a Worker wait until it is settled", async () => {
    const limiter = createLimiter({ name: "far", key: perAddress, limits: [bucketOf(5)], store: new AsyncTwin() });
    const app = limitedBy({ limiter, chargeAfter: () => 0, remoteAddress: () => "127.0.0.1" });
    const tasks: Promise<unknown>[] = [];
    const executionContext = {
      waitUntil: (task: Promise<unknown>) => tasks.push(task),
      passThroughOnException: () => {},
      props: {},
    };
    expect(await (await app.request("/", {}, {}, executionContext)).text()).toBe("hello");
    expect(tasks).toHaveLength(1);
    await tasks[0];
    expect((await limiter.peek({ remoteAddress: "127.0.0.1" } as HttpFacts, 0)).remaining).toBe(5);
  });

  it("keeps cookies and fields of the response", async () => {
    const { app } = recorded();
    app.get("/cookies", (context) => {
      context.header("Set-Cookie", "a=1", { append: true });
      context.header("Set-Cookie", "b=2", { append: true });
      return context.text("cookies", 201);
    });
    const answer = await app.request("/cookies");
    expect([answer.status, answer.headers.getSetCookie(), await answer.text()]).toEqual([
      201,
      ["a=1", "b=2"],
      "cookies",
    ]);
    expect(answer.headers.get("ratelimit")).toBe('"bucket";r=98;t=1');
  });
});

describe("over HTTP/2", () => {
  it("limits, tells, and settles once", async () => {
    const outcomes: Outcome[] = [];
    const chargeAfter = (_context: unknown, outcome: Outcome) => {
      outcomes.push(outcome);
      return outcome.completed ? 1 : 0;
    };
    const limiter = of(4);
    const app = limitedBy({ limiter, chargeAfter });
    // More than a client takes that reads nothing.
    app.get("/big", (context) => context.text("x".repeat(1_000_000)));
    app.get(
      "/part",
      () => new Response(new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("hi")) })),
    );
    app.get("/hang", () => new Promise<Response>(() => {}));
    const server = serve({
      fetch: app.fetch,
      port: 0,
      hostname: "127.0.0.1",
      createServer: createHttp2Server,
    }) as Http2Server;
    await once(server, "listening");
    const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(await sendHttp2(session, "/")).toMatchObject({
      status: 200,
      body: "hello",
      headers: { ratelimit: '"bucket";r=3;t=1' },
    });
    for (const path of ["/part", "/big", "/hang"]) {
      const stream = session.request({ ":path": path });
      stream.on("error", () => {});
      await new Promise((resolve) => setTimeout(resolve, 40));
      stream.close(constants.NGHTTP2_CANCEL);
    }
    await until(() => outcomes.length === 3, "those are told that were answered");
    expect([left(limiter), (await sendHttp2(session, "/")).status]).toEqual([0, 429]);
    session.close();
    server.close();
    expect(outcomes.slice(0, 4)).toEqual([
      { status: 200, bytes: 5, completed: true },
      { status: 200, bytes: 2, completed: false },
      { status: 200, bytes: 1_000_000, completed: false },
    ]);
  });
});

describe("a WebSocket handshake", () => {
  it("that @hono/node-server asks the application about is limited, by address", async () => {
    const accepting = Object.assign(new EventEmitter(), {
      options: { noServer: true },
      close: () => {},
      handleUpgrade: (_request: IncomingMessage, socket: Socket) =>
        void socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"),
    });
    const limiter = of(1);
    const app = limitedBy({ limiter });
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

describe("the types", () => {
  it("know the decision and the options", async () => {
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
      expectTypeOf(context.get("rateLimit")).toEqualTypeOf<Decision | undefined>();
      expectTypeOf(context.var.rateLimit).toEqualTypeOf<Decision | undefined>();
      expectTypeOf(context.get("own")).toEqualTypeOf<number>();
      return context.text("hello");
    });
    // @ts-expect-error -- A limiter of strings needs an input.
    rateLimit({ limiter: strings });
    expect((await app.request("/")).status).toBe(200);
  });
});
