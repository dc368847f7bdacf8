import { EventEmitter, once } from "node:events";
import { connect as connectHttp2, constants } from "node:http2";
import { type AddressInfo, connect } from "node:net";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import { createLimiter, type Decision, type Denied, type Limiter, perMinute } from "tollgate";
import {
  clientIp,
  factsOf,
  type HttpFacts,
  type Outcome,
  type RateLimitOptions,
  type RateLimitPluginOptions,
  rateLimit,
} from "tollgate/fastify";
import { afterEach, describe, expect, expectTypeOf, it } from "vitest";
import { AsyncTwin } from "../../testing/async-twin.ts";
import { bucketOf, held, left, perAddress } from "../suite/case.ts";
import { breakOff, send, sendHttp2 } from "../suite/client.ts";
import { until } from "../suite/until.ts";

const apps: Pick<FastifyInstance, "close">[] = [];

afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
});

type AnswerError = (error: Error, request: FastifyRequest, reply: FastifyReply) => void;

function make(): FastifyInstance {
  const app = fastify({ forceCloseConnections: true });
  apps.push(app);
  return app;
}

async function limitedBy(options: RateLimitPluginOptions, answerError?: AnswerError): Promise<FastifyInstance> {
  const app = make();
  if (answerError !== undefined) app.setErrorHandler(answerError);
  await app.register(rateLimit, options);
  app.get("/", async () => "hello");
  return app;
}

const of = (capacity: number): Limiter<HttpFacts> => held([bucketOf(capacity)]).limiter;
const status = async (app: FastifyInstance, url: string) => (await app.inject(url)).statusCode;
const inTurn = async (app: FastifyInstance, url: string, count: number) => {
  const all: number[] = [];
  for (let i = 0; i < count; i += 1) all.push(await status(app, url));
  return all;
};

async function listen(app: FastifyInstance): Promise<string> {
  await app.ready();
  await once(app.server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
}

describe("what is limited", () => {
  it("every route of the instance and of those inside, and none outside", async () => {
    const limiter = of(2);
    const app = make();
    app.get("/outside", async () => "outside");
    await app.register(async (scope) => {
      await scope.register(rateLimit, { limiter });
      scope.get("/inside", async () => "inside");
      scope.register(async (deep) => void deep.get("/deep", async () => "deep"));
    });
    expect(await inTurn(app, "/outside", 3)).toEqual([200, 200, 200]);
    expect([await status(app, "/inside"), await status(app, "/deep")]).toEqual([200, 200]);
    expect([await status(app, "/inside"), await status(app, "/deep")]).toEqual([429, 429]);
    expect(await status(app, "/outside")).toBe(200);
  });

  it("what is answered where there is no route, too", async () => {
    const app = await limitedBy({ limiter: of(2) });
    expect(await inTurn(app, "/nowhere", 3)).toEqual([404, 404, 429]);
  });

  it("a request whose handler calls callNotFound: once", async () => {
    for (const hook of ["onRequest", "preHandler"] as const) {
      const limiter = of(5);
      const app = await limitedBy({ limiter, hook });
      app.get("/gone", (_request, reply) => reply.callNotFound());
      app.get("/free", { config: { rateLimit: false } }, (_request, reply) => reply.callNotFound());
      expect([await status(app, "/gone"), left(limiter)]).toEqual([404, 4]);
      expect([await status(app, "/free"), left(limiter)]).toEqual([404, 4]);
      expect([await status(app, "/nowhere"), left(limiter)]).toEqual([404, 3]);
    }
  });

  it("a route with HEAD and two forms of its path: each request once", async () => {
    const limiter = of(10);
    const own = of(10);
    const app = await limitedBy({ limiter });
    app.register(
      async (scope) => {
        scope.get("/", async () => "both");
        scope.get("/own", { config: { rateLimit: { limiter: own } } }, async () => "own");
      },
      { prefix: "/api" },
    );
    for (const url of ["/api", "/api/"]) expect(await status(app, url)).toBe(200);
    expect((await app.inject({ method: "HEAD", url: "/api" })).statusCode).toBe(200);
    expect(left(limiter)).toBe(7);
    for (const method of ["GET", "HEAD"] as const) await app.inject({ method, url: "/api/own" });
    expect([left(limiter), left(own)]).toEqual([7, 8]);
  });

  it("before all hooks that are added later", async () => {
    const app = await limitedBy({ limiter: of(1) });
    let asked = 0;
    app.addHook("onRequest", async () => {
      asked += 1;
    });
    expect(await inTurn(app, "/", 3)).toEqual([200, 429, 429]);
    expect(asked).toBe(1);
  });
});

describe("config.rateLimit of a route", () => {
  it("false leaves it out", async () => {
    const app = await limitedBy({ limiter: of(1) });
    app.get("/health", { config: { rateLimit: false } }, async (request) => typeof request.rateLimit);
    expect(await inTurn(app, "/", 2)).toEqual([200, 429]);
    const answer = await app.inject("/health");
    expect([answer.statusCode, answer.body, answer.headers["ratelimit"]]).toEqual([200, "undefined", undefined]);
  });

  it("options give it limits of its own, in place of all others, once", async () => {
    const [outer, inner, own] = [of(9), of(9), of(2)];
    const app = await limitedBy({ limiter: outer });
    await app.register(rateLimit, { limiter: inner });
    const config = { rateLimit: { limiter: own, status: 503 } } as const;
    app.get("/a", { config }, async (request) => String(request.rateLimit?.remaining));
    app.get("/b", { config }, async () => "b");
    expect((await app.inject("/a")).body).toBe("1");
    expect([await status(app, "/b"), await status(app, "/a")]).toEqual([200, 503]);
    expect([left(outer), left(inner), left(own)]).toEqual([9, 9, 0]);
    await status(app, "/");
    expect([left(outer), left(inner)]).toEqual([8, 8]);
  });

  it("options may come without a limiter for the others", async () => {
    const app = await limitedBy({ global: false });
    app.get("/own", { config: { rateLimit: { limiter: of(1) } } }, async () => "own");
    expect(await inTurn(app, "/", 3)).toEqual([200, 200, 200]);
    expect(await inTurn(app, "/own", 2)).toEqual([200, 429]);
    expect(await inTurn(app, "/nowhere", 2)).toEqual([404, 404]);
  });

  it("true asks for the limits of a plugin that is not global", async () => {
    const app = await limitedBy({ global: false, limiter: of(1) });
    app.get("/limited", { config: { rateLimit: true } }, async () => "limited");
    expect(await inTurn(app, "/", 3)).toEqual([200, 200, 200]);
    expect(await inTurn(app, "/limited", 2)).toEqual([200, 429]);
  });

  it.each([
    ["onRequest", ["/route", "first", "second", "handler", "/one", "only", "handler"]],
    ["preHandler", ["first", "second", "/route", "handler", "only", "/one", "handler"]],
  ] as const)("runs first of the route's own onRequest, last of its preHandler: %s", async (hook, expected) => {
    const app = await limitedBy({ global: false });
    const order: string[] = [];
    const note = (what: string) => async () => void order.push(what);
    const input = (request: FastifyRequest) => {
      order.push(request.url);
      return factsOf(request);
    };
    const config = { rateLimit: { limiter: of(5), hook, input } };
    app.get("/route", { config, [hook]: [note("first"), note("second")] }, note("handler"));
    app.get("/one", { config, [hook]: note("only") }, note("handler"));
    await status(app, "/route");
    await status(app, "/one");
    expect(order).toEqual(expected);
  });

  it("options count also where another plugin comes after the route", async () => {
    const limiter = of(9);
    const app = await limitedBy({ global: false });
    app.get("/own", { config: { rateLimit: { limiter: of(1) } } }, async () => "own");
    await app.register(rateLimit, { limiter });
    expect([await inTurn(app, "/own", 2), left(limiter)]).toEqual([[200, 429], 9]);
  });

  it("is checked when the route is declared", async () => {
    const app = await limitedBy({ global: false });
    const declare = (config: unknown) => () =>
      app.get("/own", { config: config as { rateLimit: boolean } }, async () => "own");
    for (const [config, message] of [
      [{ rateLimit: {} }, "limiter: expected one made by createLimiter or combine, got undefined"],
      [{ rateLimit: "5/s" }, 'rateLimit: expected an object of options, got "5/s"'],
      [{ rateLimit: null }, "rateLimit: expected an object of options, got null"],
      [{ rateLimit: { limiter: of(1), hook: "onSend" } }, 'hook: expected "onRequest" or "preHandler", got "onSend"'],
      [{ rateLimit: true }, "config.rateLimit of /own: expected options, as the plugin has no limiter, got true"],
    ] as const) {
      expect(declare(config)).toThrow(expect.objectContaining({ code: "ERR_OPTION", message }));
    }
  });

  it("fails loudly where the route was declared before the plugin was loaded", async () => {
    for (const options of [{ global: false }, { limiter: of(5) }] as const) {
      const app = make();
      app.register(rateLimit, options);
      app.get("/own", { config: { rateLimit: { limiter: of(1) } } }, async () => "own");
      app.get("/free", { config: { rateLimit: false } }, async () => "free");
      const answer = await app.inject("/own");
      expect([answer.statusCode, answer.json().code]).toEqual([500, "ERR_OPTION"]);
      expect(answer.json().message).toMatch(/^config.rateLimit of \/own: .* await its registration$/);
      expect(await status(app, "/free")).toBe(200);
    }
  });
});

describe("the hook", () => {
  const login = async (hook: "onRequest" | "preHandler") => {
    const app = make();
    const limiter = createLimiter({ limits: [perMinute(1)] });
    const input = (request: FastifyRequest) => String((request.body as { user?: string } | undefined)?.user);
    await app.register(rateLimit, { limiter, input, hook });
    app.post("/login", async () => "in");
    return (payload: string) =>
      app
        .inject({ method: "POST", url: "/login", headers: { "content-type": "application/json" }, payload })
        .then(({ statusCode }) => statusCode);
  };

  it("preHandler knows the body", async () => {
    const post = await login("preHandler");
    expect([await post('{"user":"ann"}'), await post('{"user":"bob"}')]).toEqual([200, 200]);
    expect([await post('{"user":"ann"}'), await post("{")]).toEqual([429, 400]);
  });

  it("onRequest, the default, denies before the body is read", async () => {
    const post = await login("onRequest");
    expect([await post('{"user":"ann"}'), await post('{"user":"bob"}'), await post("{")]).toEqual([200, 429, 429]);
  });
});

describe("two limiters", () => {
  it("both count, and the last tells", async () => {
    const [many, few] = [of(9), of(1)];
    const app = await limitedBy({ limiter: many });
    await app.register(rateLimit, { limiter: few, skip: (request) => request.url === "/skipped" });
    app.get("/skipped", async (request) => String(request.rateLimit?.remaining));
    const first = await app.inject("/");
    expect(first.headers["ratelimit"]).toBe('"bucket";r=0;t=1');
    expect([await status(app, "/"), left(many), left(few)]).toEqual([429, 7, 0]);
    expect((await app.inject("/skipped")).body).toBe("6");
  });
});

describe("errors", () => {
  const broken = (thrown: unknown) => createLimiter<HttpFacts>({ key: () => raise(thrown), limits: [bucketOf(5)] });
  const raise = (thrown: unknown): never => {
    throw thrown;
  };

  it("go to the error handler as they are, at once or later", async () => {
    const error = new RangeError("no key");
    const far = createLimiter<HttpFacts>({
      name: "far",
      key: () => raise(error),
      limits: [bucketOf(5)],
      store: new AsyncTwin(),
    });
    for (const limiter of [broken(error), far]) {
      const seen: unknown[] = [];
      const app = await limitedBy({ limiter }, (thrown, _request, reply) => {
        seen.push(thrown);
        void reply.code(502).send("broken");
      });
      expect([await status(app, "/"), seen]).toEqual([502, [error]]);
    }
  });

  it.each([[undefined], [null], [0], [""], ["text"]])("%j that is thrown lets nothing pass", async (thrown) => {
    for (const input of [() => raise(thrown), () => Promise.reject(thrown)]) {
      const causes: unknown[] = [];
      const app = await limitedBy({ limiter: of(5), input }, (error, _request, reply) => {
        causes.push(error.cause);
        void reply.code(500).send("failed");
      });
      expect([await status(app, "/"), causes]).toEqual([500, [thrown]]);
    }
  });

  it("of the handler have the fields, too", async () => {
    const app = await limitedBy({ limiter: of(5) });
    app.get("/throw", async () => raise(new Error("the handler failed")));
    const answer = await app.inject("/throw");
    expect([answer.statusCode, answer.headers["ratelimit"]]).toEqual([500, '"bucket";r=4;t=1']);
  });

  it("in the options make the registration fail", async () => {
    for (const [options, message] of [
      [{}, "limiter: expected one made by createLimiter or combine, got undefined"],
      [{ limiter: of(1), hook: "onSend" }, 'hook: expected "onRequest" or "preHandler", got "onSend"'],
      [{ limiter: of(1), global: "no" }, 'global: expected true or false, got "no"'],
    ] as const) {
      const registered = make().register(rateLimit, options as unknown as RateLimitPluginOptions);
      await expect(registered).rejects.toMatchObject({ code: "ERR_OPTION", message });
    }
  });
});

describe("onDenied", () => {
  it("may return what is sent, or what sends it", async () => {
    for (const onDenied of [
      () => ({ slow: "down" }),
      async () => ({ slow: "down" }),
      (_request: FastifyRequest, reply: { send(payload: object): unknown }) => reply.send({ slow: "down" }),
    ]) {
      const app = await limitedBy({ limiter: of(1), onDenied });
      const [, answer] = [await app.inject("/"), await app.inject("/")];
      expect([answer.statusCode, answer.json()]).toEqual([429, { slow: "down" }]);
      expect(answer.headers["retry-after"]).toBe("1");
    }
  });

  it("may throw for the error handler, at once or later", async () => {
    const far = createLimiter({ name: "far", key: perAddress, limits: [bucketOf(1)], store: new AsyncTwin() });
    for (const limiter of [of(1), far]) {
      for (const onDenied of [
        () => {
          throw new RangeError("denied");
        },
        async () => Promise.reject(new RangeError("denied")),
      ]) {
        const app = await limitedBy({ limiter, onDenied }, (error, _request, reply) => {
          void reply.code(420).send(error.message);
        });
        await app.inject("/");
        const answer = await app.inject("/");
        expect([answer.statusCode, answer.body]).toEqual([420, "denied"]);
        const plain = await limitedBy({ limiter, onDenied });
        expect((await plain.inject("/")).statusCode).toBe(500);
      }
    }
  });

  it("may throw with a status of its own", async () => {
    const onDenied = (_request: FastifyRequest, reply: FastifyReply) => {
      reply.code(402);
      throw new RangeError("denied");
    };
    expect(await inTurn(await limitedBy({ limiter: of(1), onDenied }), "/", 2)).toEqual([200, 402]);
  });

  it("is not asked where somebody else has begun to answer meanwhile", async () => {
    for (const onDenied of [undefined, () => "denied"]) {
      const begun: FastifyReply[] = [];
      const input = async (request: FastifyRequest) => {
        for (const { raw } of begun) raw.write("begun ");
        return factsOf(request);
      };
      const app = make();
      app.addHook("onRequest", async (request, reply) => {
        if (request.url !== "/begun") return;
        begun.push(reply);
        setTimeout(() => reply.raw.end("and done"), 20);
      });
      await app.register(rateLimit, { limiter: of(1), input, ...(onDenied === undefined ? {} : { onDenied }) });
      app.get("/", async () => "hello");
      const url = await listen(app);
      await send(url);
      const answer = await send(`${url}/begun`);
      expect([answer.status, answer.body]).toEqual([200, "begun and done"]);
    }
  });
});

describe("a denial", () => {
  it("is sent as it is, whatever the route makes of its answers", async () => {
    const app = await limitedBy({ limiter: of(1), denial: "problem" });
    const schema = { response: { "4xx": { type: "object", properties: { only: { type: "string" } } } } };
    app.get("/schema", { schema }, async () => "hello");
    await status(app, "/schema");
    const { headers, body } = await app.inject("/schema");
    expect(headers["content-type"]).toBe("application/problem+json");
    expect([headers["content-length"], JSON.parse(body).status]).toEqual([String(body.length), 429]);
  });

  it("exposes its fields beside what is exposed already", async () => {
    const app = make();
    app.addHook("onRequest", async (_request, reply) => void reply.header("Access-Control-Expose-Headers", "X-Own"));
    await app.register(rateLimit, { limiter: of(1), exposeHeaders: true });
    app.get("/", async () => "hello");
    for (const expected of [200, 429]) {
      const { statusCode, headers } = await app.inject("/");
      expect([statusCode, headers["access-control-expose-headers"]]).toEqual([
        expected,
        "X-Own, RateLimit-Policy, RateLimit, Retry-After",
      ]);
    }
  });

  it("of two limiters exposes the fields once", async () => {
    const app = await limitedBy({ limiter: of(9), exposeHeaders: true });
    await app.register(rateLimit, { limiter: of(1), exposeHeaders: true, headers: "legacy" });
    for (const expected of [200, 429]) {
      const { statusCode, headers } = await app.inject("/");
      expect([statusCode, headers["access-control-expose-headers"]]).toEqual([
        expected,
        "RateLimit-Policy, RateLimit, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset",
      ]);
    }
  });
});

describe("the client", () => {
  it("is known by its socket alone, whatever Fastify trusts", async () => {
    const app = fastify({ trustProxy: true });
    apps.push(app);
    await app.register(rateLimit, { limiter: createLimiter({ key: clientIp(), limits: [bucketOf(1)] }) });
    app.get("/", async () => "hello");
    const from = async (address: string) =>
      (await app.inject({ url: "/", headers: { "x-forwarded-for": address } })).statusCode;
    expect([await from("192.0.2.1"), await from("192.0.2.2")]).toEqual([200, 429]);
  });

  it("is told the path as it was sent, also where the server rewrites it", async () => {
    const app = fastify({ rewriteUrl: () => "/rewritten" });
    apps.push(app);
    const seen: string[] = [];
    await app.register(rateLimit, { limiter: of(5), skip: (request) => seen.push(factsOf(request).path) < 0 });
    app.get("/rewritten", async () => "hello");
    expect([await status(app, "/sent%20so?a=b"), seen]).toEqual([200, ["/sent%20so"]]);
  });

  it("that goes while the store is asked needs no handler", async () => {
    const store = new AsyncTwin();
    const limiter = createLimiter({ name: "far", key: perAddress, limits: [bucketOf(10)], store });
    const events = new EventEmitter();
    const handled: string[] = [];
    const app = make();
    const input = (request: FastifyRequest) => {
      request.raw.socket.on("close", () => events.emit("gone"));
      events.emit("asked");
      return factsOf(request);
    };
    await app.register(rateLimit, { limiter, input });
    app.get("/:name", async (request) => handled.push(request.url));
    const url = await listen(app);
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
    expect(handled).toEqual(["/there"]);
  });
});

describe("chargeAfter", () => {
  const recorded = () => {
    const outcomes: Outcome[] = [];
    const chargeAfter = (_request: unknown, outcome: Outcome) => outcomes.push(outcome);
    return { outcomes, chargeAfter, cost: 0 };
  };

  it("is asked once of a reply that is hijacked, whole or broken off", async () => {
    const { outcomes, ...options } = recorded();
    const app = await limitedBy({ limiter: of(9), ...options });
    app.get("/whole", (_request, reply) => void reply.hijack().raw.end("hijacked"));
    app.get("/part", (_request, reply) => void reply.hijack().raw.write("hi"));
    const url = await listen(app);
    expect((await send(`${url}/whole`)).body).toBe("hijacked");
    await breakOff(`${url}/part`, "first bytes");
    await until(() => outcomes.length === 2, "both are told");
    await send(url);
    await until(() => outcomes.length === 3, "the third is told");
    expect(outcomes).toEqual([
      { status: 200, bytes: 8, completed: true },
      { status: 200, bytes: 2, completed: false },
      { status: 200, bytes: 5, completed: true },
    ]);
  });

  it("is asked of what inject has sent, and of its HEAD", async () => {
    const { outcomes, ...options } = recorded();
    const app = await limitedBy({ limiter: of(9), ...options });
    for (const method of ["GET", "HEAD"] as const) await app.inject({ method, url: "/" });
    await until(() => outcomes.length === 2, "both are told");
    expect(outcomes).toEqual([
      { status: 200, bytes: 5, completed: true },
      { status: 200, bytes: 0, completed: true },
    ]);
  });
});

describe("over HTTP/2", () => {
  it("limits, tells, and settles once", async () => {
    const app = fastify({ http2: true });
    apps.push(app);
    const outcomes: Outcome[] = [];
    const chargeAfter = (_request: FastifyRequest, outcome: Outcome) => {
      outcomes.push(outcome);
      return outcome.completed ? 1 : 0;
    };
    const limiter = of(4);
    await app.register(rateLimit, { limiter, chargeAfter });
    app.get("/", async (request) => String(request.rateLimit?.remaining));
    app.get("/big", async () => "x".repeat(200_000));
    app.get("/hang", () => {});
    // More than a client takes that reads nothing.
    app.get("/whole", (_request, reply) => void reply.hijack().raw.end("x".repeat(1_000_000)));
    await app.ready();
    await once(app.server.listen(0, "127.0.0.1"), "listening");
    const session = connectHttp2(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
    expect(await sendHttp2(session, "/")).toMatchObject({
      status: 200,
      body: "3",
      headers: { "ratelimit-policy": '"bucket";q=4;w=4' },
    });
    expect((await sendHttp2(session, "/big")).body.length).toBe(200_000);
    for (const path of ["/hang", "/whole"]) {
      const stream = session.request({ ":path": path });
      stream.on("error", () => {});
      await new Promise((resolve) => setTimeout(resolve, 40));
      stream.close(constants.NGHTTP2_CANCEL);
    }
    await until(() => outcomes.length === 3, "the one that was answered is told");
    const denied = await sendHttp2(session, "/");
    expect([denied.status, denied.headers["retry-after"]]).toEqual([429, "1"]);
    expect(denied.body).toBe('{"error":"rate limit exceeded","retry_after_secs":1}');
    session.close();
    expect(outcomes.slice(0, 4)).toEqual([
      { status: 200, bytes: 1, completed: true },
      { status: 200, bytes: 200_000, completed: true },
      { status: 200, bytes: 1_000_000, completed: false },
    ]);
    expect(left(limiter)).toBe(0);
  });
});

describe("the types", () => {
  it("know the decision and the options", async () => {
    const app = make();
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
      expectTypeOf(request.rateLimit).toEqualTypeOf<Decision | undefined>();
      return "";
    });
    const options = { limiter: strings, input: (request: FastifyRequest) => request.id };
    expectTypeOf(options).toExtend<RateLimitOptions<string>>();
    expectTypeOf({ limiter: strings }).not.toExtend<RateLimitPluginOptions>();
    expectTypeOf({ limiter: of(5) }).toExtend<RateLimitPluginOptions>();
    expectTypeOf<{ global: false }>().toExtend<RateLimitPluginOptions>();
    expectTypeOf<{ global: true }>().not.toExtend<RateLimitPluginOptions>();
    expect(await status(app, "/")).toBe(200);
  });
});
