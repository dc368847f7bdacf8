import type { Server } from "node:http";
import { collectDefaultMetrics, Registry } from "prom-client";
import type { Application } from "../application.ts";
import { type Family, familiesOf } from "./families.ts";
import { measureConnections, measureRequests } from "./http-metrics.ts";
import { measureLimiter, withoutSecrets } from "./limiter-metrics.ts";
import { measureLimitsFiles, measureOverrides } from "./limits-metrics.ts";

export interface Metrics {
  collect(): Promise<readonly Family[]>;
}

export interface ServiceMetrics extends Metrics {
  close(): void;
}

/** The metrics of the limiters, of the requests and connections of a server, and of the process. */
export function serviceMetrics(server: Server, { limiters, limitsStatus, inForce }: Application): ServiceMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  measureConnections(server, registry);
  measureRequests(server, registry);
  if (limitsStatus !== undefined) measureLimitsFiles(limitsStatus, registry);
  if (inForce !== undefined) measureOverrides(inForce, registry);
  const close = limiters.watch((limiter) => measureLimiter(limiter, registry));
  return {
    collect: async () => withoutSecrets(await familiesOf(registry)),
    close,
  };
}
