import type { Cost } from "../core/cost.ts";
import type { AsyncLimiter, Limiter } from "../limiter/limiter.ts";
import type { HeaderForm } from "./headers.ts";
import type { TrustProxy } from "./identity/trust.ts";
import type { Outcome } from "./settlement.ts";

/** Clients that are sorted out by their addresses, before anything is counted. */
export interface AdmittanceOptions {
  /** Clients that pass unlimited and uncounted: addresses and CIDR blocks. */
  readonly allow?: readonly string[];
  /** Clients that are refused with 403 before anything is counted; `allow` goes first. */
  readonly deny?: readonly string[];
  /** Whose word `allow` and `deny` take for the client's address, as in `clientIp`: `false` by default, the socket's peer. */
  readonly trustProxy?: TrustProxy;
  /** For `allow` and `deny`, where trusted proxies write the address, as in `clientIp`: `"x-forwarded-for"` by default. */
  readonly addressHeader?: string;
}

/** What every adapter takes. `Request` is the framework's own. */
export interface GateOptions<Request, Input> extends AdmittanceOptions {
  readonly limiter: Limiter<Input> | AsyncLimiter<Input>;
  /** What the limiter is asked about; by default the `HttpFacts` of the request. */
  readonly input?: (request: Request) => Input | Promise<Input>;
  /** What a request costs: 1 by default. */
  readonly cost?: Cost | ((request: Request) => Cost | Promise<Cost>);
  /** Whether a request passes unlimited and uncounted. */
  readonly skip?: (request: Request) => boolean | Promise<boolean>;
  /**
   * In what form clients are told of their limits: `"draft-11"` by default, none with `false`. Several forms are sent side
   * by side, where their fields differ.
   */
  readonly headers?: HeaderForm | readonly HeaderForm[] | false;
  /**
   * Names the quota's partition to the client, in `pk`: none by default, or with `undefined`, for a key may be a secret. At most
   * 256 characters.
   */
  readonly partitionKey?: (request: Request) => string | undefined;
  /** Lists the fields in `Access-Control-Expose-Headers`, so that scripts of other origins may read them. */
  readonly exposeHeaders?: boolean;
  /**
   * The body of a denial: `"json"`, `"problem"` (RFC 9457), or, by default, `"negotiate"`: a problem where `Accept` names
   * `application/problem+json`, else JSON.
   */
  readonly denial?: "json" | "problem" | "negotiate";
  /** The status of a denial, 429 by default; 503 says that the server is short of capacity. */
  readonly status?: 429 | 503;
  /** Up to so many whole seconds more in `Retry-After`, at random, so that clients do not come back all at once. */
  readonly retryJitter?: number;
  /**
   * What becomes of a request when the limiter, its key function or one of these functions throws: `"throw"`, the default,
   * leaves it to the framework; `"allow"` lets it pass and `"deny"` answers 503, and `reportError` hears why.
   */
  readonly onError?: "allow" | "deny" | "throw";
  /**
   * Hears what failed: by default the process, as a warning, where there is one. When it fails itself, at once or later, that is
   * such a warning, and changes nothing for the request.
   */
  readonly reportError?: (error: unknown, request: Request) => void;
  /**
   * What a request has cost in the end, asked when its response is over: the difference to its `cost` is refunded or
   * charged, once, under the key and the limits that it was counted under, and where it was counted: what a local
   * fallback took in an outage is settled there. A response that was not sent whole (`completed` is `false`) is charged
   * but never refunded, unless `settleAborted` is set. A number, or one per unit, as `cost`; where it is neither, what
   * was taken stands, and `reportError` is called.
   */
  readonly chargeAfter?: (request: Request, outcome: Outcome) => Cost | Promise<Cost>;
  /**
   * Whether `chargeAfter` may also refund a request whose response was not sent whole: `false` by default. Clients
   * decide when they hang up, so set it only where `chargeAfter` looks at `completed`, or is told the cost by the
   * handler.
   */
  readonly settleAborted?: boolean;
}
