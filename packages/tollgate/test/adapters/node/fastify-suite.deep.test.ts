import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { type FastifyInstance, fastify } from "fastify";
import { factsOf, type RateLimitPluginOptions, rateLimit } from "tollgate/fastify";
import { describeAdapter } from "../suite/describe-adapter.ts";
import { type AdapterHarness, limitsOf, loginOf, nativeOptions, type SuiteOptions } from "../suite/harness.ts";
import { chunks, shownDecision } from "../suite/node-routes.ts";

function addRoutes(app: FastifyInstance, options: SuiteOptions): void {
  app.all("/ok", async () => "hello");
  app.all<{ Params: { status: string } }>("/status/:status", ({ params }, reply) => {
    void reply.code(Number(params.status)).send("status");
  });
  app.all<{ Params: { count: string } }>("/bytes/:count", async ({ params }) => "x".repeat(Number(params.count)));
  app.all<{ Params: { count: string } }>("/stream/:count", async ({ params }) =>
    Readable.from(chunks(Number(params.count))),
  );
  app.all("/decision", async ({ rateLimit: decision }, reply) =>
    reply.type("application/json").send(JSON.stringify(shownDecision(decision))),
  );
  app.all("/login", async ({ rateLimit: decision }, reply) => reply.code(await loginOf(options, decision)).send());
  app.all("/throw", () => {
    throw new Error("the handler failed");
  });
  app.all("/hang", () => {});
}

function pluginOptions(options: SuiteOptions): RateLimitPluginOptions {
  return {
    ...nativeOptions(options, factsOf),
    ...(options.customDenial === true
      ? {
          onDenied: (_request, reply, decision) =>
            reply
              .code(418)
              .header("X-Denied", decision.limit?.name ?? "")
              .send("custom"),
        }
      : {}),
  };
}

const FASTIFY: AdapterHarness = {
  name: "fastify",
  skips: {},
  start: async (options) => {
    const app = fastify({ forceCloseConnections: true, trustProxy: options.frameworkTrustsProxies === true });
    for (const each of limitsOf(options)) await app.register(rateLimit, pluginOptions(each));
    app.addHook("onError", async (_request, _reply, error) => options.caught?.(error));
    addRoutes(app, options);
    await app.ready();
    if (options.meanwhile !== undefined) app.server.on("request", options.meanwhile);
    await once(app.server.listen(0, "127.0.0.1"), "listening");
    return {
      url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
      close: () => app.close(),
    };
  },
};

describeAdapter(FASTIFY);
