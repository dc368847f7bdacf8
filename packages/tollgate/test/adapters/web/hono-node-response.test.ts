import { once } from "node:events";
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { type Context, Hono } from "hono";
import { factsOf, rateLimit } from "tollgate/hono";
import { describe, expect, it, vi } from "vitest";
import { recorder } from "../suite/case.ts";
import { type Answer, send, sendHttp2 } from "../suite/client.ts";
import { until } from "../suite/until.ts";
import { bucketLimiter, listen, sessionWithApp } from "./hono-apps.ts";

describe("a response that a Hono handler sends with Node's response object", () => {
  const versions: readonly (readonly [string, (app: Hono) => Promise<Answer>])[] = [
    ["HTTP/1", async (app) => send(await listen(app))],
    ["HTTP/2", async (app) => sendHttp2(await sessionWithApp(app), "/")],
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
      "has the RateLimit headers if its head is written with %s",
      async (_what, writeHead) => {
        const app = new Hono<{ Bindings: HttpBindings }>();
        app.use(rateLimit({ limiter: bucketLimiter(5), exposeHeaders: true }));
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

  it("is told to chargeAfter as it was if other code sent it while the limiter waited", async () => {
    const { outcomes, chargeAfter } = recorder();
    const app = new Hono<{ Bindings: HttpBindings }>();
    const input = async (context: Context) => {
      const { outgoing } = context.env as HttpBindings;
      outgoing.writeHead(503).end("too slow");
      await once(outgoing, "close");
      return factsOf(context);
    };
    app.use(rateLimit({ limiter: bucketLimiter(5), input, cost: 0, chargeAfter }));
    const printed = vi.spyOn(console, "error");
    expect((await send(await listen(app as unknown as Hono))).body).toBe("too slow");
    await until(() => outcomes.length === 1, "it is told");
    expect(outcomes).toEqual([{ status: 503, bytes: 0, completed: true }]);
    expect(printed).not.toHaveBeenCalled();
  });
});

describe("a response that began before the limiter of Hono was asked", () => {
  it("is not changed", async () => {
    const app = new Hono<{ Bindings: HttpBindings }>();
    app.use(async (context, next) => {
      context.env.outgoing.writeHead(200).write("begun ");
      await next();
    });
    app.use(rateLimit({ limiter: bucketLimiter(5) }));
    app.get("/", (context) => {
      context.env.outgoing.end(`and ${context.get("rateLimit")?.remaining} left`);
      return RESPONSE_ALREADY_SENT;
    });
    const answer = await send(await listen(app as unknown as Hono));
    expect([answer.body, answer.headers["ratelimit"]]).toEqual(["begun and 4 left", undefined]);
  });
});
