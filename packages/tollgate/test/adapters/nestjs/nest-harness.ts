import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { All, type ArgumentsHost, Controller, type ExecutionContext, Module, Req, Res } from "@nestjs/common";
import { BaseExceptionFilter, NestFactory } from "@nestjs/core";
import { ExpressAdapter, type NestExpressApplication } from "@nestjs/platform-express";
import { FastifyAdapter, type NestFastifyApplication } from "@nestjs/platform-fastify";
import type { FastifyReply } from "fastify";
import { factsOf as factsOfExpress, rateLimit } from "tollgate/express";
import { factsOf as factsOfFastify, rateLimit as fastifyRateLimit } from "tollgate/fastify";
import { factsOf, RateLimitModule, type RouteRateLimit } from "tollgate/nestjs";
import { answerByReply } from "../suite/fastify-route.ts";
import { type AdapterHarness, limitsOf, nativeOptions, type SuiteOptions } from "../suite/harness.ts";
import { answerRoute } from "../suite/node-routes.ts";

class CustomDenial extends Error {}

type Answer = (request: never, response: never, options: SuiteOptions) => unknown;

/** Decorators as plain calls: the tests are compiled without them. */
function applicationModule(options: SuiteOptions, path: string, answer: Answer): new () => object {
  class Routes {
    handle(request: never, response: never): unknown {
      return answer(request, response, options);
    }
  }
  Controller()(Routes);
  Req()(Routes.prototype, "handle", 0);
  Res()(Routes.prototype, "handle", 1);
  All(path)(Routes.prototype, "handle", Object.getOwnPropertyDescriptor(Routes.prototype, "handle")!);
  class Application {}
  Module({ imports: [RateLimitModule.forRoot(nestOptions(options))], controllers: [Routes] })(Application);
  return Application;
}

function nestOptions(options: SuiteOptions): RouteRateLimit {
  return {
    ...nativeOptions<ExecutionContext>(options, factsOf),
    ...(options.customDenial === true
      ? {
          onDenied: (context, { limit }) => {
            const response = context.switchToHttp().getResponse<ServerResponse & FastifyReply>();
            (response.raw === undefined ? response.setHeader : response.header).call(
              response,
              "X-Denied",
              limit?.name ?? "",
            );
            return new CustomDenial();
          },
        }
      : {}),
  };
}

/** Answers what `onDenied` made. */
class Filter extends BaseExceptionFilter {
  caught: SuiteOptions["caught"];

  override catch(error: unknown, host: ArgumentsHost): void {
    if (!(error instanceof CustomDenial)) {
      this.caught?.(error);
      // oxlint-disable-next-line promise/valid-params, promise/no-promise-in-callback -- a filter's method.
      super.catch(error, host);
      return;
    }
    const response = host.switchToHttp().getResponse<FastifyReply & NestExpressResponse>();
    (response.raw === undefined ? response.status(418) : response.code(418)).send("custom");
  }
}

interface NestExpressResponse {
  status(code: number): { send(text: string): void };
}

const QUIET = { logger: false, bodyParser: false, forceCloseConnections: true } as const;

async function listen(
  app: NestExpressApplication | NestFastifyApplication,
  { caught, meanwhile }: SuiteOptions,
): ReturnType<AdapterHarness["start"]> {
  app.useGlobalFilters(Object.assign(new Filter(app.getHttpAdapter()), { caught }));
  await app.listen(0, "127.0.0.1");
  const server: Server = app.getHttpServer();
  if (meanwhile !== undefined) server.on("request", meanwhile);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await app.close();
    },
  };
}

const CHARSET = {
  "answers with a problem that names every violated policy if the option says so":
    "Nest answers exceptions as JSON of the framework, which adds a charset to the type of problems",
};

/** Nest's limit is the innermost, because guards run behind all middleware. */
export const OVER_EXPRESS: AdapterHarness = {
  name: "nestjs over express",
  skips: CHARSET,
  start: async (options) => {
    const limits = limitsOf(options);
    const answer: Answer = (request: IncomingMessage & { path: string }, response: ServerResponse) =>
      answerRoute(request.path, response, request.rateLimit, options);
    const module = applicationModule(limits.at(-1)!, "*path", answer);
    const app = await NestFactory.create<NestExpressApplication>(module, new ExpressAdapter(), QUIET);
    app.set("trust proxy", options.frameworkTrustsProxies === true);
    for (const each of limits.slice(0, -1)) app.use(rateLimit(nativeOptions(each, factsOfExpress)));
    return listen(app, options);
  },
};

export const OVER_FASTIFY: AdapterHarness = {
  name: "nestjs over fastify",
  skips: {
    ...CHARSET,
    "denies a request whose body stays unread, and keeps the connection usable":
      "Fastify parses bodies before guards run, and answers 415 to types that it does not know",
  },
  start: async (options) => {
    const limits = limitsOf(options);
    const module = applicationModule(limits.at(-1)!, "*", (request, reply) => answerByReply(request, reply, options));
    const adapter = new FastifyAdapter({
      forceCloseConnections: true,
      trustProxy: options.frameworkTrustsProxies === true,
    });
    const app = await NestFactory.create<NestFastifyApplication>(module, adapter, QUIET);
    for (const each of limits.slice(0, -1)) {
      await app.register(fastifyRateLimit as never, nativeOptions(each, factsOfFastify) as never);
    }
    return listen(app, options);
  },
};
