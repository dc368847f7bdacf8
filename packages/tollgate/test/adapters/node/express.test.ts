import express, {
  type ErrorRequestHandler,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from "express";
// @ts-expect-error -- It has no types of its own.
import express4 from "express-4";
import type { Denied } from "tollgate";
import { factsOf, rateLimit } from "tollgate/express";
import { describe, expect, expectTypeOf, it } from "vitest";
import { bucketOf, manualLimiter } from "../suite/case.ts";
import { send } from "../suite/client.ts";
import { urlOf } from "../suite/node-server.ts";

const hello: RequestHandler = (_request, response) => void response.send("hello");

describe.each([
  ["express 5", express],
  ["express 4", express4 as typeof express],
])("%s", (_version, make) => {
  it("reads the whole path in a mounted router", async () => {
    const seen: string[] = [];
    const app = make();
    const router = make.Router();
    const input = (request: Request) => {
      seen.push(request.path, factsOf(request).path);
      return factsOf(request);
    };
    router.use(rateLimit({ limiter: manualLimiter([bucketOf(5)]).limiter, input }));
    router.get("/users/:id", hello);
    app.use("/api", router);
    expect((await send(`${await urlOf(app)}/api/users/1?a=/b`)).status).toBe(200);
    expect(seen).toEqual(["/users/1", "/api/users/1"]);
  });

  const handled: unknown[] = [];
  const onError: ErrorRequestHandler = (error, _request, response, _next) => {
    handled.push(error);
    response.status(500).send("handled");
  };

  it("passes what onDenied throws to the error handlers, and lets onDenied call next", async () => {
    const app = make();
    const onDeniedError = new Error("onDenied failed");
    const onDenied = ({ path }: Request, _response: unknown, _decision: Denied, next: NextFunction) => {
      if (path === "/now") throw onDeniedError;
      if (path === "/later") return Promise.reject(onDeniedError);
      return next();
    };
    app.use(rateLimit({ limiter: manualLimiter([bucketOf(1)]).limiter, onDenied }));
    app.use((request, response) => void response.json(request.rateLimit?.allowed));
    app.use(onError);
    const url = await urlOf(app);
    expect((await send(url)).body).toBe("true");
    expect((await send(`${url}/now`)).body).toBe("handled");
    expect((await send(`${url}/later`)).body).toBe("handled");
    const passedOn = await send(`${url}/next`);
    expect([passedOn.status, passedOn.body]).toEqual([200, "false"]);
    expect(passedOn.headers["ratelimit"]).toBe('"bucket";r=0;t=1');
    expect([passedOn.headers["retry-after"], passedOn.headers["cache-control"]]).toEqual([undefined, undefined]);
    expect(handled.splice(0)).toEqual([onDeniedError, onDeniedError]);
  });

  it("answers an error of onDenied with 500, not with the status of a denial", async () => {
    const app = make();
    const onDenied = ({ path }: Request, _response: unknown, _decision: Denied, next: NextFunction) => {
      const onDeniedError = new Error("onDenied failed");
      if (path === "/now") throw onDeniedError;
      if (path === "/later") return Promise.reject(onDeniedError);
      return next(onDeniedError);
    };
    app.use(rateLimit({ limiter: manualLimiter([bucketOf(1)]).limiter, onDenied }), hello);
    const url = await urlOf(app);
    await send(url);
    for (const path of ["/now", "/later", "/next"]) {
      const { headers, status } = await send(url + path);
      expect([status, headers["retry-after"]]).toEqual([500, undefined]);
    }
  });

  it("restores only the denial's own headers and status if onDenied lets a request pass", async () => {
    const app = make();
    app.use((_request, response, next) => {
      response.status(203).set({ "Cache-Control": "private", "Retry-After": "7" });
      next();
    });
    const onDenied = ({ path }: Request, response: Response, _decision: Denied, next: NextFunction) => {
      if (path === "/own") response.status(402).set({ "Cache-Control": "max-age=5", "Retry-After": "9" });
      next();
    };
    app.use(rateLimit({ limiter: manualLimiter([bucketOf(1)]).limiter, onDenied }), hello);
    const url = await urlOf(app);
    await send(url);
    for (const [path, ...expected] of [
      ["/before", 203, "private", "7"],
      ["/own", 402, "max-age=5", "9"],
    ] as const) {
      const { headers, status } = await send(url + path);
      expect([status, headers["cache-control"], headers["retry-after"]]).toEqual(expected);
    }
  });
});

describe("the types of the adapter of Express", () => {
  const { limiter } = manualLimiter([bucketOf(1)]);

  it("leave the types of a route's parameters alone", () => {
    express().get("/users/:id/*rest", rateLimit({ limiter }), (request) => {
      expectTypeOf(request.params.id).toEqualTypeOf<string>();
      expectTypeOf(request.params.rest).toEqualTypeOf<string[]>();
    });
    expectTypeOf(rateLimit({ limiter })).toExtend<RequestHandler>();
    expectTypeOf(rateLimit({ limiter })).toExtend<RequestHandler<{ id: string }, Date, Date, { page: string }>>();
  });

  it("give the options' functions the objects of Express", () => {
    rateLimit({
      limiter,
      skip: (request) => {
        expectTypeOf(request).toEqualTypeOf<Request>();
        return false;
      },
      onDenied: (request, response, decision, next) => {
        expectTypeOf(request).toEqualTypeOf<Request>();
        expectTypeOf(response).toEqualTypeOf<express.Response>();
        expectTypeOf(decision).toEqualTypeOf<Denied>();
        expectTypeOf(next).toEqualTypeOf<NextFunction>();
      },
    });
  });
});
