import { type Context, Hono, type MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { HTTPException } from "hono/http-exception";
import { type HttpFacts, type RateLimitOptions, rateLimit } from "tollgate/hono";
import { describe, expect, it } from "vitest";
import { sendRaw } from "../suite/client.ts";
import { bucketLimiter, limitedApp, listen, WAYS } from "./hono-apps.ts";

/** The lines of a response's head, except the first. */
async function linesOf(url: string): Promise<string[]> {
  const head = (await sendRaw(url, `GET ${new URL(url).pathname} HTTP/1.1\r\nHost: here\r\n\r\n`, 1)).split(
    "\r\n\r\n",
  )[0];
  return (head ?? "").split("\r\n").slice(1);
}

describe.each(WAYS)("the RateLimit headers of Hono %s", (_where, ask) => {
  const headersOf = async (handler: (context: Context) => Response | Promise<Response>) => {
    const app = limitedApp({ limiter: bucketLimiter(5) });
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
    ["a response with immutable headers", () => Response.redirect("http://localhost/there", 302), 302],
    ["a fetched response", async () => fetch("data:text/plain,fetched"), 200],
    ["a response that replaces another", (context) => replaced(context), 203],
    ["an error", () => Promise.reject(new HTTPException(409, { message: "failed" })), 500],
  ])("are sent with %s", async (_what, handler, status) => {
    expect(await headersOf(handler)).toEqual([status, ...both]);
  });

  function replaced(context: Context): Response {
    context.res = new Response("one", { headers: { "x-one": "1" } });
    context.res = new Response("another", { status: 203 });
    return context.res;
  }

  it("do not replace the handler's own headers", async () => {
    const app = limitedApp({ limiter: bucketLimiter(5) });
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
  ])("are exposed beside %s", async (_what, first, own) => {
    const exposedBy = async (options: Pick<RateLimitOptions<HttpFacts>, "onDenied">) => {
      const app = new Hono();
      app.use(first, rateLimit({ limiter: bucketLimiter(1), exposeHeaders: true, ...options }));
      app.get("/", (context) => context.text("hello"));
      const answers = [await ask(app, "/"), await ask(app, "/")];
      return answers.map(({ headers }) => headers.get("access-control-expose-headers"));
    };
    const all = `${own}RateLimit-Policy, RateLimit, Retry-After`;
    expect(await exposedBy({})).toEqual([all, all]);
    expect(await exposedBy({ onDenied: (context) => context.text("denied") })).toEqual([all, all]);
  });

  it("are new if the handler returns the same response again", async () => {
    const app = limitedApp({ limiter: bucketLimiter(5), exposeHeaders: true });
    const kept = new Response(null, { status: 204 });
    app.get("/kept", () => kept);
    const told = [await ask(app, "/kept"), await ask(app, "/kept")].map(({ headers }) => headers.get("ratelimit"));
    expect(told).toEqual(['"bucket";r=4;t=1', '"bucket";r=3;t=2']);
  });

  it("are exposed beside the exposed headers of a fetched response", async () => {
    const upstream = new Hono();
    upstream.get("/", (context) => context.text("up", 200, { "Access-Control-Expose-Headers": "X-Up" }));
    const url = await listen(upstream);
    const app = limitedApp({ limiter: bucketLimiter(5), exposeHeaders: true });
    app.get("/fetched", () => fetch(url));
    const answer = await ask(app, "/fetched");
    const exposed = answer.headers.get("access-control-expose-headers");
    expect([await answer.text(), exposed]).toEqual(["up", "X-Up, RateLimit-Policy, RateLimit, Retry-After"]);
  });
});

describe("a response of Hono on Node", () => {
  it("has each header once", async () => {
    const app = new Hono();
    for (const capacity of [9, 1]) app.use(rateLimit({ limiter: bucketLimiter(capacity), exposeHeaders: true }));
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

describe.each(WAYS)("a denial of Hono %s", (_where, ask) => {
  const denied = async (options: Partial<RateLimitOptions<HttpFacts>>, first?: MiddlewareHandler) => {
    const app = new Hono();
    if (first !== undefined) app.use(first);
    app.use(rateLimit({ limiter: bucketLimiter(1), ...options }));
    app.get("/", (context) => context.text("hello"));
    await ask(app, "/");
    return ask(app, "/");
  };

  it("keeps the headers of earlier middleware, except Cache-Control", async () => {
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

  it("by onDenied has the denial's status and headers, whatever it returns", async () => {
    for (const [onDenied, expected] of [
      [(context: Context) => context.text("slow"), 429],
      [async (context: Context) => context.json({ slow: "down" }), 429],
      [() => new Response("slow", { status: 420 }), 420],
      [() => Response.redirect("http://localhost/slow", 303), 303],
    ] as const) {
      const { headers, status } = await denied({ onDenied });
      const values = ["retry-after", "cache-control", "ratelimit"].map((name) => headers.get(name));
      expect([status, ...values]).toEqual([expected, "1", "no-store", '"bucket";r=0;t=1']);
    }
  });
});
