import type { FastifyRequest } from "fastify";
import { factsOf, rateLimit } from "tollgate/fastify";
import { describe, expect, it } from "vitest";
import { left } from "../suite/case.ts";
import { bucketLimiter, limitedApp, makeApp, statusesOf, statusOf } from "./fastify-apps.ts";

describe("config.rateLimit of a Fastify route", () => {
  it("leaves a route unlimited if it is false", async () => {
    const app = await limitedApp({ limiter: bucketLimiter(1) });
    app.get("/health", { config: { rateLimit: false } }, async (request) => typeof request.rateLimit);
    expect(await statusesOf(app, "/", 2)).toEqual([200, 429]);
    const answer = await app.inject("/health");
    expect([answer.statusCode, answer.body, answer.headers["ratelimit"]]).toEqual([200, "undefined", undefined]);
  });

  it("gives a route its own limit in place of all others", async () => {
    const [outer, inner, own] = [bucketLimiter(9), bucketLimiter(9), bucketLimiter(2)];
    const app = await limitedApp({ limiter: outer });
    await app.register(rateLimit, { limiter: inner });
    const config = { rateLimit: { limiter: own, status: 503 } } as const;
    app.get("/a", { config }, async (request) => String(request.rateLimit?.remaining));
    app.get("/b", { config }, async () => "b");
    expect((await app.inject("/a")).body).toBe("1");
    expect([await statusOf(app, "/b"), await statusOf(app, "/a")]).toEqual([200, 503]);
    expect([left(outer), left(inner), left(own)]).toEqual([9, 9, 0]);
    await statusOf(app, "/");
    expect([left(outer), left(inner)]).toEqual([8, 8]);
  });

  it("gives a route its own limit if the plugin has none", async () => {
    const app = await limitedApp({ global: false });
    app.get("/own", { config: { rateLimit: { limiter: bucketLimiter(1) } } }, async () => "own");
    expect(await statusesOf(app, "/", 3)).toEqual([200, 200, 200]);
    expect(await statusesOf(app, "/own", 2)).toEqual([200, 429]);
    expect(await statusesOf(app, "/nowhere", 2)).toEqual([404, 404]);
  });

  it("applies the limit of a plugin that is not global if it is true", async () => {
    const app = await limitedApp({ global: false, limiter: bucketLimiter(1) });
    app.get("/limited", { config: { rateLimit: true } }, async () => "limited");
    expect(await statusesOf(app, "/", 3)).toEqual([200, 200, 200]);
    expect(await statusesOf(app, "/limited", 2)).toEqual([200, 429]);
  });

  it.each([
    ["onRequest", ["/route", "first", "second", "handler", "/one", "only", "handler"]],
    ["preHandler", ["first", "second", "/route", "handler", "only", "/one", "handler"]],
  ] as const)(
    "runs first of the route's onRequest hooks, or last of its preHandler hooks: %s",
    async (hook, expected) => {
      const app = await limitedApp({ global: false });
      const order: string[] = [];
      const note = (what: string) => async () => void order.push(what);
      const input = (request: FastifyRequest) => {
        order.push(request.url);
        return factsOf(request);
      };
      const config = { rateLimit: { limiter: bucketLimiter(5), hook, input } };
      app.get("/route", { config, [hook]: [note("first"), note("second")] }, note("handler"));
      app.get("/one", { config, [hook]: note("only") }, note("handler"));
      await statusOf(app, "/route");
      await statusOf(app, "/one");
      expect(order).toEqual(expected);
    },
  );

  it("counts once if another plugin is registered after the route", async () => {
    const limiter = bucketLimiter(9);
    const app = await limitedApp({ global: false });
    app.get("/own", { config: { rateLimit: { limiter: bucketLimiter(1) } } }, async () => "own");
    await app.register(rateLimit, { limiter });
    expect([await statusesOf(app, "/own", 2), left(limiter)]).toEqual([[200, 429], 9]);
  });

  it("is checked when the route is declared", async () => {
    const app = await limitedApp({ global: false });
    const declare = (config: unknown) => () =>
      app.get("/own", { config: config as { rateLimit: boolean } }, async () => "own");
    for (const [config, message] of [
      [{ rateLimit: {} }, "limiter: expected one made by createLimiter or combine, got undefined"],
      [{ rateLimit: "5/s" }, 'rateLimit: expected an object of options, got "5/s"; write rateLimit({ limiter })'],
      [{ rateLimit: null }, "rateLimit: expected an object of options, got null; write rateLimit({ limiter })"],
      [
        { rateLimit: { limiter: bucketLimiter(1), hook: "onSend" } },
        'hook: expected "onRequest" or "preHandler", got "onSend"',
      ],
      [{ rateLimit: true }, "config.rateLimit of /own: expected options, as the plugin has no limiter, got true"],
    ] as const) {
      expect(declare(config)).toThrow(expect.objectContaining({ code: "ERR_OPTION", message }));
    }
  });

  it("fails with ERR_OPTION if the route was declared before the plugin was loaded", async () => {
    for (const options of [{ global: false }, { limiter: bucketLimiter(5) }] as const) {
      const app = makeApp();
      app.register(rateLimit, options);
      app.get("/own", { config: { rateLimit: { limiter: bucketLimiter(1) } } }, async () => "own");
      app.get("/free", { config: { rateLimit: false } }, async () => "free");
      const answer = await app.inject("/own");
      expect([answer.statusCode, answer.json().code]).toEqual([500, "ERR_OPTION"]);
      expect(answer.json().message).toMatch(/^config.rateLimit of \/own: .* await its registration$/);
      expect(await statusOf(app, "/free")).toBe(200);
    }
  });
});
