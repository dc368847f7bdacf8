import type { IncomingMessage, Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { Hono, type MiddlewareHandler } from "hono";
import { factsOf, rateLimit } from "tollgate/hono";
import { describeAdapter } from "../suite/describe-adapter.ts";
import { type AdapterHarness, limitsOf, loginOf, nativeOptions, type SuiteOptions } from "../suite/harness.ts";
import { shownDecision } from "../suite/node-routes.ts";
import { listenHere } from "../suite/node-server.ts";
import { chunks, SKIPS_WITHOUT_RESPONSE } from "./web-suite.ts";

function addRoutes(app: Hono, options: SuiteOptions): void {
  app.all("/ok", (context) => context.text("hello"));
  app.all("/status/204", (context) => context.body(null, 204));
  app.all("/status/:status", (context) => context.text("status", Number(context.req.param("status")) as 200));
  app.all("/bytes/:count", (context) => context.text("x".repeat(Number(context.req.param("count")))));
  app.all("/stream/:count", (context) => context.body(chunks(Number(context.req.param("count")))));
  app.all("/decision", (context) => context.json(shownDecision(context.get("rateLimit")) as object));
  app.all("/login", async (context) => context.body(null, (await loginOf(options, context.get("rateLimit"))) as 204));
  app.all("/throw", () => {
    throw new Error("the handler failed");
  });
  app.all("/hang", () => new Promise<Response>(() => {}));
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
