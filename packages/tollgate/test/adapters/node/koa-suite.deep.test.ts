import { once } from "node:events";
import { Readable } from "node:stream";
import Koa, { type Context } from "koa";
import { factsOf, rateLimit } from "tollgate/koa";
import { describeAdapter } from "../suite/describe-adapter.ts";
import { type AdapterHarness, limitsOf, loginOf, nativeOptions, type SuiteOptions } from "../suite/harness.ts";
import { chunks, shownDecision } from "../suite/node-routes.ts";
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
  const [, route, argument] = context.path.split("/");
  switch (route) {
    case "ok":
      context.body = "hello";
      return;
    case "status":
      context.status = Number(argument);
      context.body = "status";
      return;
    case "bytes":
      context.body = "x".repeat(Number(argument));
      return;
    case "stream":
      context.body = Readable.from(chunks(Number(argument)));
      return;
    case "decision":
      context.body = JSON.stringify(shownDecision(context.state.rateLimit));
      return;
    case "login":
      context.status = await loginOf(options, context.state.rateLimit);
      return;
    case "throw":
      throw new Error("the handler failed");
    case "hang":
      await once(context.res, "close");
      return;
    default:
      throw new Error(`no such route: ${context.method} ${context.path}`);
  }
}

describeAdapter(KOA);
