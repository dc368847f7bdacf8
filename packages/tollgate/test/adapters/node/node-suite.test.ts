import { factsOf, type NodeHandler, type RateLimitWrapper, rateLimit } from "tollgate/node";
import { describeAdapter } from "../suite/describe-adapter.ts";
import { type AdapterHarness, limitsOf, nativeOptions, type SuiteOptions } from "../suite/harness.ts";
import { answerRoute } from "../suite/node-routes.ts";
import { serveHere } from "../suite/node-server.ts";

const NODE: AdapterHarness = {
  name: "node:http",
  skips: {},
  start: (options) => {
    const answer: NodeHandler = async (request, response) => {
      try {
        await answerRoute(factsOf(request).path, response, request.rateLimit, options);
      } catch {
        // There is no framework that would answer.
        response.statusCode = 500;
        response.end();
      }
    };
    const limited = limitsOf(options).reduceRight<NodeHandler>((handler, each) => limitBy(each)(handler), answer);
    return serveHere((request, response) => void limited(request, response), options.meanwhile);
  },
};

function limitBy(options: SuiteOptions): RateLimitWrapper {
  return rateLimit({
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
}

describeAdapter(NODE);
