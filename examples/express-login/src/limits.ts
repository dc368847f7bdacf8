import type { Request, RequestHandler } from "express";
import { combine, createLimiter, perMinute, perSecond, slidingWindow } from "tollgate";
import { clientIp, factsOf, rateLimit, refundSuccesses, type TrustProxy } from "tollgate/express";

interface Login {
  readonly address: string;
  readonly account: string;
}

/** What every client gets of the public API: short spikes, and a sustained rate. */
export function publicLimit(trustProxy: TrustProxy): RequestHandler {
  const limiter = createLimiter({
    name: "public API",
    key: clientIp({ trustProxy }),
    limits: [perSecond(10), perMinute(60, { burst: 30 })],
  });
  return rateLimit({ limiter, exposeHeaders: true });
}

/** Failed logins: few for each address, more for each account, so that strangers do not lock its owner out at once. */
export function loginGuard(trustProxy: TrustProxy): RequestHandler {
  const perAddress = createLimiter({
    name: "failed logins of an address",
    key: (login: Login) => login.address,
    limits: [slidingWindow({ limit: 3, window: "15m" })],
  });
  const perAccount = createLimiter({
    name: "failed logins of an account",
    key: (login: Login) => login.account,
    limits: [slidingWindow({ limit: 30, window: "1h" })],
  });
  const addressOf = clientIp({ trustProxy });
  return rateLimit({
    limiter: combine(perAddress, perAccount),
    input: (request: Request): Login => ({
      address: addressOf(factsOf(request)),
      account: accountOf(request),
    }),
    // Every attempt counts while it is checked. Only a success whose answer arrived is refunded.
    chargeAfter: refundSuccesses((status) => status === 204),
  });
}

/** The account that a login is for, in the one spelling under which it is counted and looked up. */
export function accountOf(request: Request): string {
  const { account } = request.body as { account?: unknown };
  return typeof account === "string" ? account.trim().toLowerCase() : "";
}
