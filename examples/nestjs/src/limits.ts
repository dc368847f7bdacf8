import { concurrency, createLimiter, perMinute, perSecond, slidingWindow } from "tollgate";
import { clientIp, type RateLimitModuleOptions, refundSuccesses } from "tollgate/nestjs";

/** Every route has the first limit. Routes choose the others by name, in its place. */
export function limitsFor(proxies: number): RateLimitModuleOptions {
  const key = clientIp({ trustProxy: proxies });
  const clients = createLimiter({ name: "clients", key, limits: [perSecond(10), perMinute(60, { burst: 30 })] });
  const failures = createLimiter({ name: "failed logins", key, limits: [slidingWindow({ limit: 3, window: "15m" })] });
  const reports = createLimiter({ name: "reports", key, limits: [concurrency({ max: 1, ttl: "30s" })] });
  return {
    limiter: clients,
    named: {
      login: { limiter: failures, chargeAfter: refundSuccesses((status) => status === 204) },
      report: { limiter: reports },
    },
  };
}
