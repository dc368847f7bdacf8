export * from "../../http/public.ts";
export { factsOf } from "./nest-request.ts";
export type {
  NamedLimits,
  RateLimitAsyncOptions,
  RateLimitModuleOptions,
  RateLimitModuleScope,
  RouteRateLimit,
} from "./options.ts";
export { RateLimitException } from "./rate-limit-exception.ts";
export { RateLimit, RateLimitGuard, SkipRateLimit } from "./rate-limit-guard.ts";
export { RateLimitModule } from "./rate-limit-module.ts";
export { type ThrottlerStorageOptions, throttlerStorage } from "./throttler-storage.ts";
