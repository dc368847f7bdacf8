import express from "express";
// @ts-expect-error -- It has no types of its own.
import express4 from "express-4";
import { factsOf, rateLimit } from "tollgate/express";
import { describeAdapter } from "../suite/describe-adapter.ts";
import { type AdapterHarness, nativeOptions } from "../suite/harness.ts";
import { answerRoute } from "../suite/node-routes.ts";
import { serveHere } from "../suite/node-server.ts";

/** Express as the suite drives it; version 4 has no types of its own, and what is used of both is the same. */
function harnessOf(name: string, make: typeof express): AdapterHarness {
  return {
    name,
    skips: {},
    start: (options) => {
      const app = make();
      app.use(
        rateLimit({
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
        }),
      );
      app.use((request, response, fail) => {
        // Version 4 does not look at promises.
        answerRoute(request.path, request, response, request.rateLimit, options).catch(fail);
      });
      return serveHere(app);
    },
  };
}

describeAdapter(harnessOf("express 5", express));
describeAdapter(harnessOf("express 4", express4 as typeof express));
