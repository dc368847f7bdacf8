import type { IncomingMessage } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { decisionOf, factsOf, type RateLimitWrapper, rateLimit } from "tollgate/fetch";
import { describeAdapter } from "../suite/describe-adapter.ts";
import { type AdapterHarness, limitsOf, nativeOptions, type SuiteOptions } from "../suite/harness.ts";
import { listenHere } from "../suite/node-server.ts";
import { responseOf, SKIPS_WITHOUT_RESPONSE } from "./web-suite.ts";

const FETCH: AdapterHarness = {
  name: "a fetch handler",
  skips: SKIPS_WITHOUT_RESPONSE,
  start: (options) => {
    const handle = limitsOf(options).reduceRight<Handler>(
      (handler, each) => limitBy(each)(handler),
      async (request) => responseOf(new URL(request.url).pathname, decisionOf(request), options),
    );
    const fetch = (request: Request, { incoming }: { readonly incoming: unknown }) =>
      handle(request, incoming as IncomingMessage).catch((error: unknown) => {
        options.caught?.(error);
        throw error;
      });
    return listenHere(createAdaptorServer({ fetch }), options.meanwhile);
  },
};

type Handler = (request: Request, incoming: IncomingMessage) => Promise<Response>;

function limitBy(options: SuiteOptions): RateLimitWrapper<Request, [incoming: IncomingMessage]> {
  return rateLimit({
    ...nativeOptions(options, factsOf),
    remoteAddress: (_request: Request, incoming: IncomingMessage) => incoming.socket.remoteAddress,
    ...(options.customDenial === true
      ? {
          onDenied: (_request, decision) =>
            new Response("custom", { status: 418, headers: { "X-Denied": decision.limit?.name ?? "" } }),
        }
      : {}),
  });
}

describeAdapter(FETCH);
