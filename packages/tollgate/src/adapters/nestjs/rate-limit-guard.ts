import {
  applyDecorators,
  type CanActivate,
  type CustomDecorator,
  type ExecutionContext,
  Inject,
  Injectable,
  Optional,
  SetMetadata,
  UseGuards,
} from "@nestjs/common";
import { Reflector } from "@nestjs/core";
import { optionError } from "../../core/check-options.ts";
import { NestLimit } from "./nest-limit.ts";
import type { RateLimitModuleOptions, RouteRateLimit } from "./options.ts";

/** Copies of this package share it. */
const FIND_LIMIT = "tollgate:rate-limit";
/** What `RateLimitModule` provides to guards, in whatever module these are made. */
export const MODULE_LIMITS = "tollgate:module-limits";

/** What the decorators attach: finds the limit of a route, or none. */
type FindLimit = (limits: ModuleLimits) => NestLimit | undefined;
/** The options of the module's limit in place of which others stand, or its name. */
type Changes = Partial<RouteRateLimit> | string;

const UNCHANGED: Partial<RouteRateLimit> = {};
const REFLECTOR = new Reflector();

/** The limits of one `RateLimitModule`, which all guards share. */
export class ModuleLimits {
  readonly #options: Partial<RouteRateLimit>;
  /** Limits by name, and by the options of the routes that change the module's. */
  readonly #made: Map<Changes, NestLimit>;

  /** @throws TollgateError `ERR_OPTION` when an option is not what is expected. */
  constructor({ named = {}, ...options }: RateLimitModuleOptions) {
    this.#options = options;
    this.#made = new Map(Object.entries(named).map(([name, each]) => [name, new NestLimit(each)]));
    if (Object.keys(options).length > 0) this.#made.set(UNCHANGED, new NestLimit(options as RouteRateLimit));
  }

  /** @throws TollgateError `ERR_OPTION` if the route asks for what the module does not have. */
  of(own: Changes): NestLimit {
    const known = this.#made.get(own);
    if (known !== undefined) return known;
    if (typeof own === "string") {
      const names = [...this.#made.keys()].filter((name) => typeof name === "string");
      throw optionError("@RateLimit", `one of the module's named limits (${names.join(", ")})`, own);
    }
    const made = new NestLimit({ ...this.#options, ...own } as RouteRateLimit);
    this.#made.set(own, made);
    return made;
  }
}

const NO_MODULE = new ModuleLimits({});

/**
 * Asks the limiter of the route, of its class or of `RateLimitModule`. A guard that is bound several times counts a
 * call once. `RateLimitModule` binds it for all routes, and `@RateLimit()` for one.
 *
 * @example
 * ```ts
 * import { type CanActivate, Controller, type ExecutionContext, Get, Module, UseGuards } from "@nestjs/common";
 * import { NestFactory } from "@nestjs/core";
 * import { createLimiter, perMinute } from "tollgate";
 * import { header, RateLimitGuard, RateLimitModule } from "tollgate/nestjs";
 *
 * class AuthGuard implements CanActivate {
 *   canActivate(context: ExecutionContext) {
 *     return context.switchToHttp().getRequest().headers["x-api-key"] === "ann";
 *   }
 * }
 *
 * @Controller()
 * @UseGuards(AuthGuard, RateLimitGuard)
 * class Reports {
 *   @Get()
 *   report() {
 *     return "a report";
 *   }
 * }
 *
 * const limiter = createLimiter({ key: header("x-api-key"), limits: [perMinute(1)] });
 * @Module({ imports: [RateLimitModule.forRoot({ limiter, global: false })], controllers: [Reports] })
 * class AppModule {}
 *
 * const app = await NestFactory.create(AppModule, { logger: false });
 * await app.listen(0, "127.0.0.1");
 * const get = async (key: string) => (await fetch(await app.getUrl(), { headers: { "X-API-Key": key } })).status;
 * console.log(await get("eve"), await get("ann"), await get("ann")); // 403 200 429
 * await app.close();
 * ```
 */
export class RateLimitGuard implements CanActivate {
  readonly #limits: ModuleLimits;

  constructor(limits: ModuleLimits = NO_MODULE) {
    this.#limits = limits;
  }

  /** Passes, or throws `RateLimitException`. */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    const find = REFLECTOR.getAllAndOverride<FindLimit | undefined>(FIND_LIMIT, targets) ?? finderOf(UNCHANGED);
    return find(this.#limits)?.check(context) ?? true;
  }
}

// What decorators would do: compilers without emitted metadata would leave the dependency out.
Injectable()(RateLimitGuard);
Optional()(RateLimitGuard, undefined, 0);
Inject(MODULE_LIMITS)(RateLimitGuard, undefined, 0);

/**
 * Limits a route, a resolver, a message handler, or all of a class. Without options it is the module's limit. Options
 * with a `limiter` make a limit of its own, others change the module's, and a name chooses one of `named`. A method's
 * decorator goes before its class'. Write it above the `@UseGuards` of guards that are to run first.
 *
 * @throws TollgateError `ERR_OPTION` when an option of a limit of its own is not what is expected.
 * @example
 * ```ts
 * import { Controller, Get, Module } from "@nestjs/common";
 * import { NestFactory } from "@nestjs/core";
 * import { createLimiter, perMinute } from "tollgate";
 * import { clientIp, RateLimit } from "tollgate/nestjs";
 *
 * @Controller()
 * class Reports {
 *   @Get()
 *   @RateLimit({ limiter: createLimiter({ key: clientIp(), limits: [perMinute(1)] }) })
 *   report() {
 *     return "a report";
 *   }
 * }
 *
 * @Module({ controllers: [Reports] })
 * class AppModule {}
 *
 * const app = await NestFactory.create(AppModule, { logger: false });
 * await app.listen(0, "127.0.0.1");
 * const get = async () => (await fetch(await app.getUrl())).status;
 * console.log(await get(), await get()); // 200 429
 * await app.close();
 * ```
 */
export function RateLimit<Input>(
  own: Partial<RouteRateLimit<Input>> | string = UNCHANGED,
): ClassDecorator & MethodDecorator {
  return applyDecorators(SetMetadata(FIND_LIMIT, finderOf(own as Changes)), UseGuards(RateLimitGuard));
}

function finderOf(own: Changes): FindLimit {
  if (typeof own === "string" || own.limiter === undefined) return (limits) => limits.of(own);
  const limit = new NestLimit(own as RouteRateLimit);
  return () => limit;
}

/**
 * Leaves a route, or all of a class, unlimited and uncounted.
 *
 * @example
 * ```ts
 * import { Controller, Get, Module } from "@nestjs/common";
 * import { NestFactory } from "@nestjs/core";
 * import { createLimiter, perMinute } from "tollgate";
 * import { clientIp, RateLimit, SkipRateLimit } from "tollgate/nestjs";
 *
 * @Controller()
 * @RateLimit({ limiter: createLimiter({ key: clientIp(), limits: [perMinute(1)] }) })
 * class Pages {
 *   @Get("health")
 *   @SkipRateLimit()
 *   health() {
 *     return "well";
 *   }
 * }
 *
 * @Module({ controllers: [Pages] })
 * class AppModule {}
 *
 * const app = await NestFactory.create(AppModule, { logger: false });
 * await app.listen(0, "127.0.0.1");
 * const get = async () => (await fetch(`${await app.getUrl()}/health`)).status;
 * console.log(await get(), await get()); // 200 200
 * await app.close();
 * ```
 */
export function SkipRateLimit(): CustomDecorator {
  return SetMetadata(FIND_LIMIT, () => undefined);
}
