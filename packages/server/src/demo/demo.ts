import type { Clock, Duration } from "tollgate";
import type { TrustProxy } from "tollgate/node";
import type { Application } from "../application.ts";
import { checkRoutes, checkTrust } from "../check/check-routes.ts";
import { LimiterSet } from "../limiter-set.ts";
import { clientName } from "../log/client-name.ts";
import type { RequestLog } from "../log/request-log.ts";
import { clientKey, openLimiters } from "./limiters.ts";
import type { Refill } from "./refill.ts";
import { demoRoutes } from "./routes.ts";

/** A service that limits requests to itself. */
export interface DemoSettings {
  readonly kind: "demo";
  /** The most requests that a client can make at once. */
  readonly capacity: number;
  /** How fast it gets them back. */
  readonly refill: Refill;
  readonly sweepInterval: Duration;
}

interface DemoContext {
  readonly trustProxy: TrustProxy;
  readonly clock: Clock;
  readonly requestLog: RequestLog;
}

/** @throws TollgateError if the numbers do not make a limit. */
export function openDemo(settings: DemoSettings, { trustProxy, clock, requestLog }: DemoContext): Application {
  const key = clientKey(trustProxy);
  const limiters = openLimiters({ ...settings, key, clock });
  const checks = checkRoutes({
    limiter: limiters.client,
    trustProxy: checkTrust(trustProxy),
    logError: (error, request) => requestLog.failed(error, request),
    noteDenial: (request, denial, facts) => requestLog.denied(request, denial, () => clientName(key(facts())), facts),
  });
  return {
    routes: { ...demoRoutes(limiters, key, requestLog), ...checks },
    adminRoutes: {},
    limiters: new LimiterSet([limiters.client, limiters.test]),
    health: () => ({}),
    close: () => limiters.close(),
  };
}
