import { type DynamicModule, type FactoryProvider, Module } from "@nestjs/common";
import { APP_GUARD } from "@nestjs/core";
import type { RateLimitAsyncOptions, RateLimitModuleOptions, RateLimitModuleScope } from "./options.ts";
import { MODULE_LIMITS, ModuleLimits, RateLimitGuard } from "./rate-limit-guard.ts";

/**
 * Limits the routes and resolvers of an application, and provides its limits to `@RateLimit`. Import it once.
 *
 * @example
 * ```ts
 * import { Controller, Get, Module } from "@nestjs/common";
 * import { NestFactory } from "@nestjs/core";
 * import { createLimiter, perMinute } from "tollgate";
 * import { clientIp, RateLimitModule } from "tollgate/nestjs";
 *
 * @Controller()
 * class Reports {
 *   @Get()
 *   report() {
 *     return "a report";
 *   }
 * }
 *
 * const limiter = createLimiter({ key: clientIp(), limits: [perMinute(1)] });
 * @Module({ imports: [RateLimitModule.forRoot({ limiter })], controllers: [Reports] })
 * class AppModule {}
 *
 * const app = await NestFactory.create(AppModule, { logger: false });
 * await app.listen(0, "127.0.0.1");
 * const get = async () => (await fetch(await app.getUrl())).status;
 * console.log(await get(), await get()); // 200 429
 * await app.close();
 * ```
 */
// biome-ignore lint/complexity/noStaticOnlyClass: Nest takes classes for modules.
export class RateLimitModule {
  /**
   * The module for options that are known when it is declared.
   *
   * @throws TollgateError `ERR_OPTION` when an option is not what is expected.
   */
  static forRoot({ global, ...options }: RateLimitModuleOptions & RateLimitModuleScope): DynamicModule {
    const limits = new ModuleLimits(options);
    return moduleOf({ global }, { useFactory: () => limits });
  }

  /** The module for options that other providers are needed for. Wrong options end the start of the application. */
  static forRootAsync({ global, imports = [], inject = [], useFactory }: RateLimitAsyncOptions): DynamicModule {
    const makeLimits = async (...injected: unknown[]) => new ModuleLimits(await useFactory(...injected));
    return { ...moduleOf({ global }, { inject, useFactory: makeLimits }), imports };
  }
}

Module({})(RateLimitModule);

type Factory = Pick<FactoryProvider<ModuleLimits>, "inject" | "useFactory">;

function moduleOf({ global = true }: { readonly global: boolean | undefined }, factory: Factory): DynamicModule {
  const everywhere = global ? [{ provide: APP_GUARD, useExisting: RateLimitGuard }] : [];
  return {
    module: RateLimitModule,
    global: true,
    providers: [{ provide: MODULE_LIMITS, ...factory }, RateLimitGuard, ...everywhere],
    exports: [MODULE_LIMITS, RateLimitGuard],
  };
}
