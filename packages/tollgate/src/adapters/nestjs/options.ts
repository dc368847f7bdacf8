import type { ExecutionContext, ModuleMetadata, Provider } from "@nestjs/common";
import type { Denied } from "../../core/decision.ts";
import type { GateOptions } from "../../http/gate-options.ts";

/** The options of a limit in front of routes, resolvers or message handlers. */
// biome-ignore lint/suspicious/noExplicitAny: dependency injection and decorators see options of all inputs alike.
export interface RouteRateLimit<Input = any> extends GateOptions<ExecutionContext, Input> {
  /** Makes the error of a denied call, in place of `RateLimitException`. The headers are already set. */
  readonly onDenied?: (context: ExecutionContext, decision: Denied) => Error | Promise<Error>;
}

/** Limits that routes choose by `@RateLimit("name")`. */
export type NamedLimits = Readonly<Record<string, RouteRateLimit>>;

/** The options of `RateLimitModule`: those of its limit, if it has one, and others by name. */
export interface RateLimitModuleOptions extends Partial<RouteRateLimit> {
  readonly named?: NamedLimits;
}

/** Where the module limits. */
export interface RateLimitModuleScope {
  /** `false`: only what `@RateLimit` marks. By default all routes and resolvers, and gateways that it marks. */
  readonly global?: boolean;
}

/** Options that other providers are needed for, such as a Redis client. */
export interface RateLimitAsyncOptions extends RateLimitModuleScope, Pick<ModuleMetadata, "imports"> {
  /** The tokens of what `useFactory` is given. */
  readonly inject?: Extract<Provider, { readonly useFactory: unknown }>["inject"];
  // biome-ignore lint/suspicious/noExplicitAny: Nest hands over what `inject` names.
  readonly useFactory: (...injected: any[]) => RateLimitModuleOptions | Promise<RateLimitModuleOptions>;
}
