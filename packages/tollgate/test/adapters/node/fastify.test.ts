import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import { createLimiter, type Denied, perMinute } from "tollgate";
import {
  factsOf,
  type RateLimited,
  type RateLimitOptions,
  type RateLimitPluginOptions,
  rateLimit,
} from "tollgate/fastify";
import { describe, expect, expectTypeOf, it, onTestFinished } from "vitest";
import { AsyncTwin } from "../../testing/async-twin.ts";
import { bucketOf, left, perAddress } from "../suite/case.ts";
import { bucketLimiter, limitedApp, makeApp, statusesOf, statusOf } from "./fastify-apps.ts";

describe("the Fastify plugin", () => {
  it("limits the routes of its instance and of inner instances, and no others", async () => {
    const limiter = bucketLimiter(2);
    const app = makeApp();
    app.get("/outside", async () => "outside");
    await app.register(async (scope) => {
      await scope.register(rateLimit, { limiter });
      scope.get("/inside", async () => "inside");
      scope.register(async (deep) => void deep.get("/deep", async () => "deep"));
    });
    expect(await statusesOf(app, "/outside", 3)).toEqual([200, 200, 200]);
    expect([await statusOf(app, "/inside"), await statusOf(app, "/deep")]).toEqual([200, 200]);
    expect([await statusOf(app, "/inside"), await statusOf(app, "/deep")]).toEqual([429, 429]);
    expect(await statusOf(app, "/outside")).toBe(200);
  });

  it("counts a request whose handler calls callNotFound once", async () => {
    for (const hook of ["onRequest", "preHandler"] as const) {
      const limiter = bucketLimiter(5);
      const app = await limitedApp({ limiter, hook });
      app.get("/gone", (_request, reply) => reply.callNotFound());
      app.get("/free", { config: { rateLimit: false } }, (_request, reply) => reply.callNotFound());
      expect([await statusOf(app, "/gone"), left(limiter)]).toEqual([404, 4]);
      expect([await statusOf(app, "/free"), left(limiter)]).toEqual([404, 4]);
      expect([await statusOf(app, "/nowhere"), left(limiter)]).toEqual([404, 3]);
    }
  });

  it("counts each request of a route with HEAD and two forms of its path once", async () => {
    const limiter = bucketLimiter(10);
    const own = bucketLimiter(10);
    const app = await limitedApp({ limiter });
    app.register(
      async (scope) => {
        scope.get("/", async () => "both");
        scope.get("/own", { config: { rateLimit: { limiter: own } } }, async () => "own");
      },
      { prefix: "/api" },
    );
    for (const url of ["/api", "/api/"]) expect(await statusOf(app, url)).toBe(200);
    expect((await app.inject({ method: "HEAD", url: "/api" })).statusCode).toBe(200);
    expect(left(limiter)).toBe(7);
    for (const method of ["GET", "HEAD"] as const) await app.inject({ method, url: "/api/own" });
    expect([left(limiter), left(own)]).toEqual([7, 8]);
  });

  it("runs before all hooks that are added later", async () => {
    const app = await limitedApp({ limiter: bucketLimiter(1) });
    let asked = 0;
    app.addHook("onRequest", async () => {
      asked += 1;
    });
    expect(await statusesOf(app, "/", 3)).toEqual([200, 429, 429]);
    expect(asked).toBe(1);
  });
});

describe("the hook of the Fastify plugin", () => {
  const login = async (hook: "onRequest" | "preHandler") => {
    const app = makeApp();
    const limiter = createLimiter({ limits: [perMinute(1)] });
    const input = (request: FastifyRequest) => String((request.body as { user?: string } | undefined)?.user);
    await app.register(rateLimit, { limiter, input, hook });
    app.post("/login", async () => "in");
    return (payload: string) =>
      app
        .inject({ method: "POST", url: "/login", headers: { "content-type": "application/json" }, payload })
        .then(({ statusCode }) => statusCode);
  };

  it("sees the parsed body in preHandler", async () => {
    const post = await login("preHandler");
    expect([await post('{"user":"ann"}'), await post('{"user":"bob"}')]).toEqual([200, 200]);
    expect([await post('{"user":"ann"}'), await post("{")]).toEqual([429, 400]);
  });

  it("denies before the body is read in onRequest, the default", async () => {
    const post = await login("onRequest");
    expect([await post('{"user":"ann"}'), await post('{"user":"bob"}'), await post("{")]).toEqual([200, 429, 429]);
  });
});

describe("errors behind the Fastify plugin", () => {
  it("in the options make the registration reject", async () => {
    for (const [options, message] of [
      [{}, "limiter: expected one made by createLimiter or combine, got undefined"],
      [{ limiter: bucketLimiter(1), hook: "onSend" }, 'hook: expected "onRequest" or "preHandler", got "onSend"'],
      [{ limiter: bucketLimiter(1), hook: null }, 'hook: expected "onRequest" or "preHandler", got null'],
      // Fastify calls a function for the options.
      [() => undefined, "rateLimit: expected an object of options, got undefined"],
      [{ limiter: bucketLimiter(1), global: "no" }, 'global: expected true or false, got "no"'],
    ] as const) {
      const registered = makeApp().register(rateLimit, options as unknown as RateLimitPluginOptions);
      await expect(registered).rejects.toMatchObject({ code: "ERR_OPTION", message });
    }
  });

  it.each([
    ["4.29.1", '"4.29.1"'],
    [undefined, "undefined"],
  ])("stop an old version of Fastify at its registration: %s", (version, shown) => {
    const old = Object.create(makeApp(), { version: { value: version } }) as FastifyInstance;
    const errors: unknown[] = [];
    rateLimit(old, { limiter: bucketLimiter(1) }, (error) => errors.push(error));
    const message = `tollgate/fastify: expected fastify 5 or newer, got ${shown}`;
    expect(errors).toEqual([expect.objectContaining({ code: "ERR_OPTION", message })]);
  });
});

it("the Fastify plugin says how to register it when it is called as the middleware of other frameworks is", () => {
  const message = "rateLimit: expected to be registered, as in app.register(rateLimit, { limiter }), got a call";
  const call = () => (rateLimit as (options: unknown) => void)({ limiter: bucketLimiter(1) });
  expect(call).toThrow(expect.objectContaining({ code: "ERR_OPTION", message }));
});

describe("onDenied of the Fastify plugin", () => {
  it("may return the payload, or send a reply", async () => {
    for (const onDenied of [
      () => ({ slow: "down" }),
      async () => ({ slow: "down" }),
      (_request: FastifyRequest, reply: { send(payload: object): unknown }) => reply.send({ slow: "down" }),
    ]) {
      const app = await limitedApp({ limiter: bucketLimiter(1), onDenied });
      const [, answer] = [await app.inject("/"), await app.inject("/")];
      expect([answer.statusCode, answer.json()]).toEqual([429, { slow: "down" }]);
      expect(answer.headers["retry-after"]).toBe("1");
    }
  });

  it("may throw, at once or later, for the error handler", async () => {
    const far = createLimiter({ name: "far", key: perAddress, limits: [bucketOf(1)], store: new AsyncTwin() });
    for (const limiter of [bucketLimiter(1), far]) {
      for (const onDenied of [
        () => {
          throw new RangeError("denied");
        },
        async () => Promise.reject(new RangeError("denied")),
      ]) {
        const app = await limitedApp({ limiter, onDenied }, (error, _request, reply) => {
          void reply.code(420).send(error.message);
        });
        await app.inject("/");
        const answer = await app.inject("/");
        expect([answer.statusCode, answer.body]).toEqual([420, "denied"]);
        const plain = await limitedApp({ limiter, onDenied });
        expect((await plain.inject("/")).statusCode).toBe(500);
      }
    }
  });

  it("may set a status before it throws", async () => {
    const onDenied = (_request: FastifyRequest, reply: FastifyReply) => {
      reply.code(402);
      throw new RangeError("denied");
    };
    expect(await statusesOf(await limitedApp({ limiter: bucketLimiter(1), onDenied }), "/", 2)).toEqual([200, 402]);
  });
});

describe("a denial of the Fastify plugin", () => {
  it("is sent unchanged despite the route's response schema", async () => {
    const app = await limitedApp({ limiter: bucketLimiter(1), denial: "problem" });
    const schema = { response: { "4xx": { type: "object", properties: { only: { type: "string" } } } } };
    app.get("/schema", { schema }, async () => "hello");
    await statusOf(app, "/schema");
    const { headers, body } = await app.inject("/schema");
    expect(headers["content-type"]).toBe("application/problem+json");
    expect([headers["content-length"], JSON.parse(body).status]).toEqual([String(body.length), 429]);
  });

  it("exposes its headers beside those that are exposed already", async () => {
    const app = makeApp();
    app.addHook("onRequest", async (_request, reply) => void reply.header("Access-Control-Expose-Headers", "X-Own"));
    await app.register(rateLimit, { limiter: bucketLimiter(1), exposeHeaders: true });
    app.get("/", async () => "hello");
    for (const expected of [200, 429]) {
      const { statusCode, headers } = await app.inject("/");
      expect([statusCode, headers["access-control-expose-headers"]]).toEqual([
        expected,
        "X-Own, RateLimit-Policy, RateLimit, Retry-After",
      ]);
    }
  });
});

describe("the facts of a Fastify request", () => {
  it("have the path as the client sent it even if the server rewrites it", async () => {
    const app = fastify({ rewriteUrl: () => "/rewritten" });
    onTestFinished(() => app.close());
    const seen: string[] = [];
    await app.register(rateLimit, {
      limiter: bucketLimiter(5),
      skip: (request) => seen.push(factsOf(request).path) < 0,
    });
    app.get("/rewritten", async () => "hello");
    expect([await statusOf(app, "/sent%20so?a=b"), seen]).toEqual([200, ["/sent%20so"]]);
  });
});

describe("the types of the adapter of Fastify", () => {
  it("describe the decision and the options", async () => {
    const app = makeApp();
    const strings = createLimiter({ limits: [perMinute(5)] });
    await app.register(rateLimit, {
      limiter: strings,
      input: (request) => request.id,
      onDenied: (request, reply, decision) => {
        expectTypeOf(decision).toEqualTypeOf<Denied>();
        return reply.send(`${request.id} ${decision.limit?.name}`);
      },
    });
    app.get("/", async (request) => {
      expectTypeOf(request.rateLimit).toEqualTypeOf<RateLimited | undefined>();
      return "";
    });
    const options = { limiter: strings, input: (request: FastifyRequest) => request.id };
    expectTypeOf(options).toExtend<RateLimitOptions<string>>();
    expectTypeOf({ limiter: strings }).not.toExtend<RateLimitPluginOptions>();
    expectTypeOf({ limiter: bucketLimiter(5) }).toExtend<RateLimitPluginOptions>();
    expectTypeOf<{ global: false }>().toExtend<RateLimitPluginOptions>();
    expectTypeOf<{ global: true }>().not.toExtend<RateLimitPluginOptions>();
    expect(await statusOf(app, "/")).toBe(200);
  });
});
