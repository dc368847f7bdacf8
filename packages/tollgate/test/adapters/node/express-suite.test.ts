import express, { type ErrorRequestHandler } from "express";
// @ts-expect-error -- The package has no types.
import express4 from "express-4";
import { factsOf, type RateLimitHandler, rateLimit } from "tollgate/express";
import { describeAdapter } from "../suite/describe-adapter.ts";
import { type AdapterHarness, limitsOf, nativeOptions, type SuiteOptions } from "../suite/harness.ts";
import { answerRoute } from "../suite/node-routes.ts";
import { serveHere } from "../suite/node-server.ts";

/** Version 4 has no types. Both versions have the functions that the suite uses. */
function harnessOf(name: string, make: typeof express): AdapterHarness {
  return {
    name,
    skips: {},
    start: (options) => {
      const app = make();
      app.set("trust proxy", options.frameworkTrustsProxies === true);
      for (const each of limitsOf(options)) app.use(limitBy(each));
      app.use((request, response, fail) => {
        // Version 4 ignores promises.
        answerRoute(request.path, response, request.rateLimit, options).catch(fail);
      });
      if (options.caught !== undefined) app.use(answerError(options.caught));
      return serveHere(app, options.meanwhile);
    },
  };
}

function answerError(caught: (error: unknown) => void): ErrorRequestHandler {
  return (error, _request, response, _next) => {
    caught(error);
    response.sendStatus(500);
  };
}

function limitBy(options: SuiteOptions): RateLimitHandler {
  return rateLimit({
    ...nativeOptions(options, factsOf),
    ...(options.customDenial === true
      ? {
          onDenied: (_request, response, { limit }) =>
            response
              .status(418)
              .set("X-Denied", limit?.name ?? "")
              .send("custom"),
        }
      : {}),
  });
}

describeAdapter(harnessOf("express 5", express));
describeAdapter(harnessOf("express 4", express4 as typeof express));
