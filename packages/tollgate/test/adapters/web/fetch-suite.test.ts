import type { IncomingMessage } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { createAdaptorServer } from "@hono/node-server";
import { decisionOf, factsOf, type RateLimitWrapper, rateLimit } from "tollgate/fetch";
import { describeAdapter } from "../suite/describe-adapter.ts";
import { type AdapterHarness, limitsOf, loginOf, nativeOptions, type SuiteOptions } from "../suite/harness.ts";
import { shownDecision } from "../suite/node-routes.ts";
import { listenHere } from "../suite/node-server.ts";

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

function chunks(count: number): ReadableStream<Uint8Array> {
  const chunk = new TextEncoder().encode("y".repeat(1_000));
  let left = count;
  return new ReadableStream({
    pull: async (controller) => {
      if (left === 0) controller.close();
      else {
        left -= 1;
        controller.enqueue(chunk);
        await wait(2);
      }
    },
  });
}

const FETCH: AdapterHarness = {
  name: "a fetch handler",
  skips: {
    "settles each of many pipelined requests without a warning when the client breaks off":
      "@hono/node-server aborts only the first of pipelined requests.",
    "frees the places of pipelined requests whose client breaks off":
      "@hono/node-server aborts only the first of pipelined requests. The others free themselves when it drops them.",
    "frees the turns of pipelined requests whose client goes, without a warning":
      "@hono/node-server aborts only the first of pipelined requests. The others wait on, and nothing answers them.",
    "tells chargeAfter that a response was not sent whole if the client left early":
      "The adapter only sees how the body is read, and this body is read in one piece.",
    "calls no handler for a client that leaves while the store decides, but settles":
      "The handler learns that the client has left from the request's signal.",
    "leaves a response alone that other code has begun while the limiter waited":
      "The adapter does not see the server's response.",
  },
  start: (options) => {
    const handle = limitsOf(options).reduceRight<Handler>(
      (handler, each) => limitBy(each)(handler),
      async (request) => answer(request, options),
    );
    const fetch = (request: Request, { incoming }: { readonly incoming: unknown }) =>
      handle(request, incoming as IncomingMessage);
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
