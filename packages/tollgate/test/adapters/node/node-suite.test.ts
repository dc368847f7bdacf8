import { factsOf, rateLimit } from "tollgate/node";
import { describeAdapter } from "../suite/describe-adapter.ts";
import { type AdapterHarness, nativeOptions } from "../suite/harness.ts";
import { answerRoute } from "../suite/node-routes.ts";
import { serveHere } from "../suite/node-server.ts";

const NODE: AdapterHarness = {
  name: "node:http",
  skips: {},
  start: (options) => {
    const limit = rateLimit({
      ...nativeOptions(options, factsOf),
      ...(options.customDenial === true
        ? {
            onDenied: (_request, response, decision) => {
              response.statusCode = 418;
              response.setHeader("X-Denied", decision.limit?.name ?? "");
              response.end("custom");
            },
          }
        : {}),
    });
    return serveHere(
      limit(async (request, response) => {
        try {
          await answerRoute(factsOf(request).path, request, response, request.rateLimit, options);
        } catch {
          // Nobody else answers where there is no framework.
          response.statusCode = 500;
          response.end();
        }
      }),
    );
  },
};

describeAdapter(NODE);
