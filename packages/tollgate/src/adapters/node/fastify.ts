import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction, RouteOptions } from "fastify";
import { checkObject, optionError } from "../../core/check-options.ts";
import { show, TollgateError } from "../../core/errors.ts";
import type { RateLimited } from "../../http/rate-limited.ts";
import type { RateLimitPluginOptions, RouteRateLimit } from "./fastify-options.ts";
import { RouteLimit } from "./fastify-route-limit.ts";

export * from "../../http/public.ts";
export type {
  RateLimitInputOptions,
  RateLimitOptions,
  RateLimitPluginOptions,
  RouteRateLimit,
} from "./fastify-options.ts";
export { factsOf } from "./fastify-route-limit.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The limiter's decision, and how to settle the request; `undefined` if it was not counted. */
    rateLimit: RateLimited | undefined;
  }

  interface FastifyContextConfig {
    /** `false`: no limit. Options: the route's own limits. `true`: also limited by plugins that are not `global`. */
    rateLimit?: boolean | RouteRateLimit;
  }
}

const LEAST_FASTIFY = 5;

/** A plugin of Fastify. */
export type RateLimitPlugin = (
  instance: FastifyInstance,
  options: RateLimitPluginOptions,
  done: (error?: Error) => void,
) => void;

/**
 * Limits the routes of the instance that it is registered on, of the instances inside, and requests without a route.
 * Load it before the routes: `await` its registration. A route's `config` may have `rateLimit: false`, or options of
 * its own, which are checked when the route is declared. A denied request gets 429 with `Retry-After` (whole seconds,
 * rounded up) and `{"error":"rate limit exceeded","retry_after_secs":N}`. All responses have the RateLimit headers.
 * Handlers find the decision of the last limiter that counted the request in `request.rateLimit`. When the limiter or a
 * function of the options throws, the error handler gets the error, unless `onError` says otherwise. Fastify's own
 * `trustProxy` and `request.ip` are ignored: see `clientIp`.
 *
 * @throws TollgateError `ERR_OPTION` when an option is not what is expected, or Fastify is older than 5: registering
 * rejects, declaring a route throws.
 * @example
 * ```ts
 * import { fastify } from "fastify";
 * import { createLimiter, perMinute } from "tollgate";
 * import { clientIp, rateLimit } from "tollgate/fastify";
 *
 * const app = fastify();
 * await app.register(rateLimit, { limiter: createLimiter({ key: clientIp(), limits: [perMinute(2)] }) });
 * app.get("/", async (request) => `${request.rateLimit?.remaining} left`);
 * app.get("/health", { config: { rateLimit: false } }, async () => "well");
 *
 * console.log((await app.inject("/")).body); // 1 left
 * console.log((await app.inject("/")).statusCode, (await app.inject("/")).statusCode); // 200 429
 * console.log((await app.inject("/health")).body); // well
 * ```
 */
export const rateLimit: RateLimitPlugin = Object.assign(plugin, {
  // Its hooks apply to the instance that it is registered on, instead of a new child instance.
  [Symbol.for("skip-override")]: true,
  [Symbol.for("fastify.display-name")]: "tollgate",
});

function plugin(instance: FastifyInstance, options: RateLimitPluginOptions, done: (error?: Error) => void): void {
  if (typeof done !== "function") {
    const expected = "expected to be registered, as in app.register(rateLimit, { limiter })";
    throw new TollgateError("ERR_OPTION", `rateLimit: ${expected}, got a call`);
  }
  try {
    checkFastify(instance.version);
    new Plugin(options).addTo(instance);
    done();
  } catch (error) {
    done(error as Error);
  }
}

/** The package has no range for its optional peer, which would stop installations beside another version. */
function checkFastify(version: unknown): void {
  const major = typeof version === "string" ? Number.parseInt(version, 10) : Number.NaN;
  if (major >= LEAST_FASTIFY) return;
  throw new TollgateError(
    "ERR_OPTION",
    `tollgate/fastify: expected fastify ${LEAST_FASTIFY} or newer, got ${show(version)}`,
  );
}

/**
 * Marks a route that has its own limit: each of several plugins calls `#onRoute`. The plugin of another copy of the
 * library may be one of them, so the symbol is global.
 */
const LIMITED: unique symbol = Symbol.for("tollgate.limited");

/** The options of routes whose limit was made when they were declared, by any plugin. */
const KNOWN = new WeakSet<RouteRateLimit>();

class Plugin {
  readonly #limit: RouteLimit | undefined;
  readonly #isGlobal: boolean;
  /** Requests have it from the beginning: engines keep objects of one shape fast. */
  readonly #property: string;

  constructor(options: RateLimitPluginOptions) {
    checkObject("rateLimit", options);
    const { global = true } = options;
    if (typeof global !== "boolean") {
      throw optionError("global", "true or false", global);
    }
    this.#isGlobal = global;
    this.#property = (options as RouteRateLimit).requestProperty ?? "rateLimit";
    this.#limit = !global && options.limiter === undefined ? undefined : new RouteLimit(options as RouteRateLimit);
  }

  addTo(instance: FastifyInstance): void {
    if (!instance.hasRequestDecorator(this.#property)) instance.decorateRequest(this.#property, undefined);
    instance.addHook("onRoute", (route) => this.#onRoute(route));
    if (this.#limit?.hook === "preHandler") {
      // After `reply.callNotFound()` Fastify runs this hook once more for the same request.
      const seen = new WeakSet<FastifyRequest>();
      instance.addHook("preHandler", (request, reply, done) => {
        if (seen.has(request)) {
          done();
          return;
        }
        seen.add(request);
        this.#ask(request, reply, done);
      });
    } else instance.addHook("onRequest", (request, reply, done) => this.#ask(request, reply, done));
  }

  #onRoute(route: RouteOptions & { [LIMITED]?: boolean }): void {
    const own = route.config?.rateLimit;
    if (own === true && this.#limit === undefined) {
      throw new TollgateError(
        "ERR_OPTION",
        `config.rateLimit of ${route.url}: expected options, as the plugin has no limiter, got true`,
      );
    }
    if (own === undefined || typeof own === "boolean") return;
    const limit = route[LIMITED] === true ? undefined : new RouteLimit(own);
    KNOWN.add(own);
    if (limit === undefined) return;
    route[LIMITED] = true;
    const before = [route[limit.hook] ?? []].flat() as RouteHook[];
    const hook: RouteHook = (request, reply, done) => limit.handle(request, reply, done);
    // The first of the route's onRequest hooks, or the last before the handler, when authentication has run.
    const hooks = limit.hook === "onRequest" ? [hook, ...before] : [...before, hook];
    Object.assign(route, { [limit.hook]: hooks });
  }

  #ask(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
    const { rateLimit: own = this.#isGlobal } = request.routeOptions.config;
    if (typeof own === "object") done(KNOWN.has(own) ? undefined : declaredTooEarly(request));
    else if (own && this.#limit !== undefined) this.#limit.handle(request, reply, done);
    else done();
  }
}

type RouteHook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;

function declaredTooEarly({ routeOptions }: FastifyRequest): TollgateError {
  return new TollgateError(
    "ERR_OPTION",
    `config.rateLimit of ${routeOptions.url}: expected the plugin to be loaded when the route is declared, got the route first: await its registration`,
  );
}
