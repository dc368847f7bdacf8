import type { Cost } from "../core/cost.ts";
import type { Duration } from "../core/duration.ts";
import type { AsyncLimiter, Limiter } from "../limiter/limiter.ts";
import type { HeaderForm } from "./forms/header-forms.ts";
import type { HttpFacts, KeyOf } from "./http-facts.ts";
import type { Outcome } from "./settlement.ts";

/** Lists of clients that pass or are denied by their addresses, before anything is counted. */
export interface AddressFilterOptions {
  /** Addresses and CIDR blocks of clients that pass, unlimited and uncounted. */
  readonly allowList?: readonly string[];
  /** Addresses and CIDR blocks of clients that get 403 before anything is counted. `allowList` goes first. */
  readonly denyList?: readonly string[];
  /**
   * Finds the addresses that both lists are about: what `clientIp()` returned, such as the limiter's key. By default
   * they are those of the sockets' peers.
   */
  readonly clientIp?: KeyOf;
}

/** The options that all adapters share. `Request` is the framework's own. */
export interface GateOptions<Request, Input> extends AddressFilterOptions {
  /**
   * The limiter that is asked. If a limit of a request counts places (`concurrency`), the adapter holds its place until
   * the response has ended or its client has gone, and renews it meanwhile.
   */
  readonly limiter: Limiter<Input> | AsyncLimiter<Input>;
  /** Makes the limiter's input: by default the request's `HttpFacts`. */
  readonly input?: (request: Request) => Input | Promise<Input>;
  /** What a request costs: 1 by default, or what a limits file says. */
  readonly cost?: Cost | ((request: Request) => Cost | Promise<Cost>);
  /** Whether a request passes unlimited and uncounted. */
  readonly skip?: (request: Request) => boolean | Promise<boolean>;
  /**
   * The form of the RateLimit headers: `"draft-11"` by default, no headers with `false`. A list sends several forms
   * side by side; if two forms have a header of the same name, the newer form's is sent.
   */
  readonly headers?: HeaderForm | readonly HeaderForm[] | false;
  /**
   * Names the quota's partition in the RateLimit headers, as `pk`. By default, and for `undefined`, they name none,
   * because a key may be a secret. At most 256 characters.
   */
  readonly partitionKey?: (request: Request) => string | undefined;
  /** Whether `Access-Control-Expose-Headers` lists the headers, so that scripts of other origins may read them. */
  readonly exposeHeaders?: boolean;
  /**
   * The body of a denial: `"json"`, `"problem"` (RFC 9457), or, by default, `"negotiate"`: a problem if `Accept` names
   * `application/problem+json`, else JSON.
   */
  readonly denial?: "json" | "problem" | "negotiate";
  /** The status of a denial: 429 by default. 503 says that the server is short of capacity. */
  readonly status?: 429 | 503;
  /**
   * The status where the store was unavailable or full, or `onError` is `"deny"`: 503 by default. From 400 to 599.
   */
  readonly failureStatus?: number;
  /** The longest time that is added to `Retry-After` at random, so that clients do not all come back at once. */
  readonly retryJitter?: Duration;
  /**
   * How long a request may wait for its turn, instead of being denied: 0 by default, at most a day. A request whose
   * wait could not end in this time is denied at once. The limiter's `maxWaiting` says how many may wait. A request
   * whose client goes meanwhile takes nothing, and no handler is called.
   */
  readonly maxWait?: Duration;
  /**
   * What happens to a request when the limiter, its key function or one of these functions throws. `"throw"`, the
   * default, leaves the error to the framework. `"allow"` lets the request pass and `"deny"` answers 503; both call
   * `logError`.
   */
  readonly onError?: "allow" | "deny" | "throw";
  /**
   * Logs an error that the framework does not get. By default the process emits a warning, if there is a process. A log
   * that fails, at once or later, causes such a warning, and changes nothing for the request.
   */
  readonly logError?: (error: unknown, request: Request) => void;
  /**
   * Where handlers find the decision: the property of the request, `"rateLimit"` by default. Express, Fastify, node and
   * Nest have it on the request, Koa in `context.state`, Hono by `context.get`.
   */
  readonly requestProperty?: string;
  /**
   * What a request has cost in the end: a number, or one per unit, as `cost`. It is called once, when the response has
   * ended. The difference to `cost` is refunded or charged under the key and limits that the request was counted under,
   * and where it was counted: what a local fallback took is settled in the fallback. A response that was not sent whole
   * (`completed` is `false`) is charged but never refunded, unless `settleAborted` is set. If `chargeAfter` fails,
   * nothing is settled, and `logError` is called. It is not called if the handler has told the cost by `settle`.
   * `taken` is what the request has taken, by `cost`.
   */
  readonly chargeAfter?: (request: Request, outcome: Outcome, taken: Cost) => Cost | Promise<Cost>;
  /**
   * Whether handlers tell what a request has cost, by the `settle` of the decision that they find: `false` by default.
   * If a handler never does, what was taken stands. With `chargeAfter`, `settle` works without this option.
   */
  readonly settle?: boolean;
  /**
   * Whether `chargeAfter` may also refund a request whose response was not sent whole: `false` by default. Clients
   * decide when they hang up. Set it only if `chargeAfter` looks at `completed`, or the handler tells it the cost.
   */
  readonly settleAborted?: boolean;
}

/**
 * What the options of a limiter need whose input is no request. One signature instead of overloads, so that the last
 * line of a compile error is the text below.
 */
export type FittingInput<Input> =
  | { readonly input: object }
  | { readonly input?: never; readonly limiter: TakesRequests<Input> extends true ? unknown : LimiterOfRequests };

type LimiterOfRequests =
  "expected a limiter with a `key` of requests, such as `key: clientIp()`, or the option `input`";

/** The compiler infers `undefined` where a key function takes no input. */
type TakesRequests<Input> = [HttpFacts] extends [Input]
  ? true
  : [Input, undefined] extends [undefined, Input]
    ? true
    : false;
