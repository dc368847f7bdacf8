import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { fastify } from "fastify";
import { factsOf, type RateLimitPluginOptions, rateLimit } from "tollgate/fastify";
import { describeAdapter } from "../suite/describe-adapter.ts";
import { answerByReply } from "../suite/fastify-route.ts";
import { type AdapterHarness, limitsOf, nativeOptions, type SuiteOptions } from "../suite/harness.ts";

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
    app.all("/*", (request, reply) => answerByReply(request, reply, options));
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
