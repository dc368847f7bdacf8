import type { IncomingMessage, Server } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { createAdaptorServer } from "@hono/node-server";
import { decisionOf, factsOf, rateLimit } from "tollgate/fetch";
import { describeAdapter } from "../suite/describe-adapter.ts";
import { type AdapterHarness, loginOf, nativeOptions, type SuiteOptions } from "../suite/harness.ts";
import { shownDecision } from "../suite/node-routes.ts";
import { listenHere } from "../suite/node-server.ts";

/** The routes of the suite. */
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
      return loginOf(options).then((status) => new Response(null, { status }));
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
    "settles each of many pipelined requests when the client breaks off, without a warning":
      "Of pipelined requests @hono/node-server aborts only the one whose turn it is.",
    "tells of a response that it was not sent whole where the client left before it had all":
      "All that is known is how a body is taken, and this one is taken in one piece.",
  },
  start: (options) => {
    const limit = rateLimit({
      ...nativeOptions(options, factsOf),
      remoteAddress: (_request, incoming: IncomingMessage) => incoming.socket.remoteAddress,
      ...(options.customDenial === true
        ? {
            onDenied: (_request, decision) =>
              new Response("custom", { status: 418, headers: { "X-Denied": decision.limit?.name ?? "" } }),
          }
        : {}),
    });
    const handle = limit((request) => answer(request, options));
    const fetch = (request: Request, { incoming }: { readonly incoming: unknown }) =>
      handle(request, incoming as IncomingMessage);
    return listenHere(createAdaptorServer({ fetch }) as Server);
  },
};

describeAdapter(FETCH);
