import type { IncomingMessage, Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { Hono, type MiddlewareHandler } from "hono";
import { factsOf, rateLimit } from "tollgate/hono";
import { describeAdapter } from "../suite/describe-adapter.ts";
import { type AdapterHarness, limitsOf, nativeOptions, type SuiteOptions } from "../suite/harness.ts";
import { listenHere } from "../suite/node-server.ts";
import { responseOf, SKIPS_WITHOUT_RESPONSE } from "./web-suite.ts";

function addRoutes(app: Hono, options: SuiteOptions): void {
  app.all("/*", (context) => responseOf(context.req.path, context.get("rateLimit"), options));
  // Hono's own error handler writes to the console.
  app.onError((error, context) => {
    options.caught?.(error);
    return context.text("failed", 500);
  });
}

/** How a server calls the application. */
type Serve = (app: Hono) => Server;

const onNode: Serve = (app) => createAdaptorServer({ fetch: app.fetch }) as Server;

/** Calls the handler like Deno: with an address, and without Node's objects. */
const asOnDeno: Serve = (app) =>
  createAdaptorServer({
    fetch: (request, { incoming }) =>
      app.fetch(request, { remoteAddr: { hostname: (incoming as IncomingMessage).socket.remoteAddress } }),
  }) as Server;

function harness(name: string, serve: Serve, skips: AdapterHarness["skips"] = {}): AdapterHarness {
  return {
    name,
    skips,
    start: (options) => {
      const app = new Hono();
      for (const each of limitsOf(options)) app.use(limitBy(each));
      addRoutes(app, options);
      return listenHere(serve(app), options.meanwhile);
    },
  };
}

function limitBy(options: SuiteOptions): MiddlewareHandler {
  return rateLimit({
    ...nativeOptions(options, factsOf),
    ...(options.customDenial === true
      ? { onDenied: (context, decision) => context.text("custom", 418, { "X-Denied": decision.limit?.name ?? "" }) }
      : {}),
  });
}

describeAdapter(harness("hono on @hono/node-server", onNode));
describeAdapter(harness("hono on a server that hands over no response", asOnDeno, SKIPS_WITHOUT_RESPONSE));
