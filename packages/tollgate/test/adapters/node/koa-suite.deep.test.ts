import { Readable } from "node:stream";
import Koa, { type Context } from "koa";
import { factsOf, rateLimit } from "tollgate/koa";
import { answerOf } from "../suite/answer-of.ts";
import { describeAdapter } from "../suite/describe-adapter.ts";
import { type AdapterHarness, limitsOf, nativeOptions, type SuiteOptions } from "../suite/harness.ts";
import { chunks } from "../suite/node-routes.ts";
import { serveHere } from "../suite/node-server.ts";

const KOA: AdapterHarness = {
  name: "koa",
  skips: {},
  start: (options) => {
    const app = new Koa({ proxy: options.frameworkTrustsProxies === true });
    app.on("error", (error) => options.caught?.(error));
    for (const each of limitsOf(options)) app.use(limitBy(each));
    app.use((context) => answerRoute(context, options));
    const callback = app.callback();
    return serveHere((request, response) => void callback(request, response), options.meanwhile);
  },
};

function limitBy(options: SuiteOptions) {
  return rateLimit({
    ...nativeOptions(options, factsOf),
    ...(options.customDenial === true
      ? {
          onDenied: (context, decision) => {
            context.status = 418;
            context.set("X-Denied", decision.limit?.name ?? "");
            context.body = "custom";
          },
        }
      : {}),
  });
}

/** The suite's routes as a Koa middleware. */
async function answerRoute(context: Context, options: SuiteOptions): Promise<void> {
  const { status, body } = await answerOf(context.path, context.state.rateLimit, options);
  context.status = status;
  context.body = typeof body === "string" ? body : Readable.from(chunks(body.chunks));
}

describeAdapter(KOA);
