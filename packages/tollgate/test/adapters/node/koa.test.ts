import Koa, { type Context, type DefaultState, type Middleware } from "koa";
import type { Denied } from "tollgate";
import { factsOf, type RateLimited, type RateLimitState, rateLimit } from "tollgate/koa";
import { describe, expect, expectTypeOf, it } from "vitest";
import { bucketOf, manualLimiter } from "../suite/case.ts";
import { send, statuses } from "../suite/client.ts";
import { urlOf } from "../suite/node-server.ts";

function serve(app: Koa): Promise<string> {
  const callback = app.callback();
  return urlOf((request, response) => void callback(request, response));
}

function silent(): Koa {
  const app = new Koa();
  app.silent = true;
  return app;
}

const hello: Middleware = (context) => {
  context.body = "hello";
};

/** A small router: a middleware for a prefix, which sees the rest of the path. */
function below(prefix: string, middleware: Middleware): Middleware {
  return async (context, next) => {
    const { path } = context;
    if (path.startsWith(prefix)) context.path = path.slice(prefix.length);
    const back = async () => {
      context.path = path;
      await next();
    };
    await (context.path === path ? next() : middleware(context, back));
  };
}

describe("koa", () => {
  it("reads the path as the client sent it below a mounted path", async () => {
    const seen: string[] = [];
    const app = new Koa();
    const input = (context: Context) => {
      seen.push(context.path, factsOf(context).path);
      return factsOf(context);
    };
    app.use(below("/api", rateLimit({ limiter: manualLimiter([bucketOf(5)]).limiter, input })));
    app.use(hello);
    expect((await send(`${await serve(app)}/api/users/1?a=/b`)).status).toBe(200);
    expect(seen).toEqual(["/users/1", "/api/users/1"]);
  });

  it("waits for onDenied, and throws what it throws", async () => {
    const app = silent();
    const onDenied = async (context: Context, decision: Denied) => {
      if (context.path === "/throws") context.throw(418, "no tea");
      await new Promise((resolve) => setTimeout(resolve, 5));
      context.body = { denied: decision.limit?.name, state: context.state.rateLimit === decision };
    };
    app.use(rateLimit({ limiter: manualLimiter([bucketOf(1)]).limiter, onDenied }));
    app.use(hello);
    const url = await serve(app);
    expect((await send(url)).status).toBe(200);
    const thrown = await send(`${url}/throws`);
    expect([thrown.status, thrown.body]).toEqual([418, "no tea"]);
    const denied = await send(url);
    expect([denied.status, denied.body]).toEqual([429, '{"denied":"bucket","state":true}']);
    expect(denied.headers["content-type"]).toBe("application/json; charset=utf-8");
  });

  it.each([undefined, null, 0, "", "a text"])(
    "answers 500 if onDenied throws %j, which Koa may not take for an error",
    async (thrown: unknown) => {
      const throwing = () => {
        throw thrown;
      };
      for (const onDenied of [throwing, async () => throwing()]) {
        const app = new Koa();
        const errors: unknown[] = [];
        app.on("error", (error) => errors.push(error));
        app.use(rateLimit({ limiter: manualLimiter([bucketOf(1)]).limiter, onDenied }));
        app.use(hello);
        expect(await statuses(await serve(app), 2)).toEqual([200, 500]);
        expect(errors).toMatchObject([{ message: "the limiter threw a value that is not an object", cause: thrown }]);
      }
    },
  );

  it("sets the headers before later middleware runs, and lets earlier middleware wait for it", async () => {
    const app = new Koa();
    const order: string[] = [];
    app.use(async (context, next) => {
      await next();
      order.push(`after: ${context.status} ${String(context.body)}`);
    });
    app.use(rateLimit({ limiter: manualLimiter([bucketOf(3)]).limiter }));
    app.use(async (context) => {
      order.push(context.response.get("RateLimit"));
      await new Promise((resolve) => setTimeout(resolve, 5));
      context.body = "slow";
    });
    expect((await send(await serve(app))).body).toBe("slow");
    expect(order).toEqual(['"bucket";r=2;t=1', "after: 200 slow"]);
  });

  it("shows earlier middleware the denial as body and status", async () => {
    const app = new Koa();
    const seen: unknown[] = [];
    app.use(async (context, next) => {
      await next();
      seen.push([context.status, context.body]);
    });
    app.use(rateLimit({ limiter: manualLimiter([bucketOf(1)]).limiter }));
    app.use(hello);
    await statuses(await serve(app), 2);
    expect(seen).toEqual([
      [200, "hello"],
      [429, '{"error":"rate limit exceeded","retry_after_secs":1}'],
    ]);
  });
});

describe("the types of the adapter of Koa", () => {
  const { limiter } = manualLimiter([bucketOf(1)]);

  it("know the decision in an application without its own state type", () => {
    expectTypeOf<DefaultState["rateLimit"]>().toEqualTypeOf<RateLimited | undefined>();
    new Koa().use((context) => {
      expectTypeOf(context.state.rateLimit).toEqualTypeOf<RateLimited | undefined>();
    });
    expectTypeOf<Context["state"]["rateLimit"]>().toEqualTypeOf<RateLimited | undefined>();
  });

  it("know the decision beside the application's state and context types", () => {
    interface Own {
      user: string;
    }
    new Koa<Own & RateLimitState, { database: Date }>().use(rateLimit({ limiter })).use((context) => {
      expectTypeOf(context.state.rateLimit).toEqualTypeOf<RateLimited | undefined>();
      expectTypeOf(context.state.user).toEqualTypeOf<string>();
      expectTypeOf(context.database).toEqualTypeOf<Date>();
    });
    new Koa<Own>().use(rateLimit({ limiter })).use((context) => {
      expectTypeOf(context.state.rateLimit).toEqualTypeOf<RateLimited | undefined>();
      expectTypeOf(context.state.user).toEqualTypeOf<string>();
    });
    expectTypeOf(rateLimit({ limiter })).toExtend<Middleware>();
    expectTypeOf(rateLimit({ limiter })).toExtend<Middleware<Own & RateLimitState>>();
  });
});
