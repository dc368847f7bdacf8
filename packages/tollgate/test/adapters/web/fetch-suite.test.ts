import type { IncomingMessage } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { decisionOf, factsOf, type RateLimitWrapper, rateLimit } from "tollgate/fetch";
import { describeAdapter } from "../suite/describe-adapter.ts";
import { type AdapterHarness, limitsOf, loginOf, nativeOptions, type SuiteOptions } from "../suite/harness.ts";
import { shownDecision } from "../suite/node-routes.ts";
import { listenHere } from "../suite/node-server.ts";
import { chunks, SKIPS_WITHOUT_RESPONSE } from "./web-suite.ts";

/** The suite's routes. */
function answer(request: Request, options: SuiteOptions): Response | Promise<Response> {
  const [, route, argument] = new URL(request.url).pathname.split("/");
  switch (route) {
    case "ok":
      return new Response("hello");
    case "status":
      return new Response(argument === "204" ? null : "status", { status: Number(argument) });
    case "bytes":
      return new Response("x".repeat(Number(argument)));
    case "stream":
      return new Response(chunks(Number(argument)));
    case "decision":
      return Response.json(shownDecision(decisionOf(request)));
    case "login":
      return loginOf(options, decisionOf(request)).then((status) => new Response(null, { status }));
    case "throw":
      throw new Error("the handler failed");
    case "hang":
      return new Promise(() => {});
    default:
      throw new Error(`no such route: ${request.method} ${request.url}`);
  }
}

const FETCH: AdapterHarness = {
  name: "a fetch handler",
  skips: SKIPS_WITHOUT_RESPONSE,
  start: (options) => {
    const handle = limitsOf(options).reduceRight<Handler>(
      (handler, each) => limitBy(each)(handler),
      async (request) => answer(request, options),
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
