import type { AsyncLimiter } from "tollgate";
import type { HttpFacts } from "tollgate/node";

/** Listens on a free port of this machine, which it gives. */
export type Serve = (limiter: AsyncLimiter<HttpFacts>) => Promise<number>;

/** What every handler answers. */
export const BODY = "ok";

/** Tells the flooder that a request was admitted without the server, and why. */
export const DEGRADED = "x-degraded";
