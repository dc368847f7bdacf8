import { createLimiter, type Limiter, perHour, perSecond } from "tollgate";
import type { HttpFacts } from "tollgate/node";
import { header } from "tollgate/node";
import type { SharedStore } from "tollgate/shared";

/** Requests of a client. The main thread counts them. */
export function requestLimiter(store: SharedStore): Limiter<HttpFacts> {
  return createLimiter({ name: "requests", key: header("x-api-key"), limits: [perSecond(50)], store });
}

/** Frames of a client. Every thread makes this limiter, with the same name and limits, and counts in one memory. */
export function frameLimiter(store: SharedStore): Limiter {
  return createLimiter({ name: "frames", limits: [perHour(300, { unit: "frames" })], store });
}
