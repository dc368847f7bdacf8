import type { RequestListener } from "node:http";
import type { AsyncLimiter, Cost, Limiter } from "tollgate";
import type { HttpFacts, Outcome, RateLimited } from "tollgate/node";
import type { GateOptions } from "../../../src/http/gate-options.ts";

/** The options of an adapter, in terms of the facts of a request: each harness translates them for its framework. */
export interface SuiteOptions
  extends Pick<
    GateOptions<never, never>,
    | "allowList"
    | "denyList"
    | "denial"
    | "exposeHeaders"
    | "failureStatus"
    | "headers"
    | "maxWait"
    | "onError"
    | "retryJitter"
    | "settle"
    | "settleAborted"
    | "status"
  > {
  readonly limiter: Limiter<HttpFacts> | AsyncLimiter<HttpFacts>;
  readonly input?: (facts: HttpFacts) => HttpFacts | Promise<HttpFacts>;
  readonly cost?: Cost | ((facts: HttpFacts) => Cost | Promise<Cost>);
  readonly skip?: (facts: HttpFacts) => boolean | Promise<boolean>;
  readonly partitionKey?: (facts: HttpFacts) => string | undefined;
  readonly chargeAfter?: (facts: HttpFacts, outcome: Outcome, taken: Cost) => Cost | Promise<Cost>;
  readonly logError?: (error: unknown) => void;
  /** `/login` calls it with what the handler finds of the limiter, and answers with the status that it resolves to. */
  readonly login?: (rateLimit: RateLimited | undefined) => Promise<number>;
  /** Is told the error that the framework gets. */
  readonly caught?: (error: unknown) => void;
  /** Another limiter, behind this one. */
  readonly inner?: SuiteOptions;
  /** Whether the framework itself trusts proxies, if it has such a setting. */
  readonly frameworkTrustsProxies?: boolean;
  /** Other code of the Node server: it is called for each request, after the framework's listener. */
  readonly meanwhile?: RequestListener;
  /** Has `onDenied` answer with status 418, `X-Denied` with the limit's name, and the body "custom". */
  readonly customDenial?: boolean;
}

/** A server of one framework behind its adapter. */
export interface RunningServer {
  /** Such as `http://127.0.0.1:34567`. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * A framework as the suite drives it. Its server has these routes, for any method:
 *
 * - `/ok`: 200, text "hello"
 * - `/status/N`: that status, text "status"
 * - `/bytes/N`: 200, a text body of N bytes in one piece
 * - `/stream/N`: 200, N chunks of 1,000 bytes each, some milliseconds apart
 * - `/decision`: 200, JSON: `{ "allowed", "remaining", "limit" }` of the decision that the handler finds, or `null`;
 *   `limit` is its name
 * - `/throw`: the handler throws; the framework answers 500
 * - `/hang`: no answer, until the client goes
 * - `/login`: what `login` of the options says, when it does; where the framework takes promises of its handlers, it is
 *   given one
 */
export interface AdapterHarness {
  readonly name: string;
  /** Cases that do not apply, by name, and why. */
  readonly skips: Readonly<Record<string, string>>;
  start(options: SuiteOptions): Promise<RunningServer>;
}

/** The options of each limiter, the first one first. */
export function limitsOf(options: SuiteOptions): readonly SuiteOptions[] {
  return options.inner === undefined ? [options] : [options, ...limitsOf(options.inner)];
}

/** The status of a harness' response to `/login`. */
export async function loginOf({ login }: SuiteOptions, rateLimit: RateLimited | undefined): Promise<number> {
  if (login === undefined) throw new Error("the case has no login");
  return login(rateLimit);
}

/** The suite's options as an adapter takes them, without `onDenied`. */
export function nativeOptions<Request>(
  options: SuiteOptions,
  factsOf: (request: Request) => HttpFacts,
): GateOptions<Request, HttpFacts> & { readonly input: (request: Request) => HttpFacts | Promise<HttpFacts> } {
  const { input, cost, skip, partitionKey, chargeAfter, logError, ...others } = options;
  const {
    customDenial: _custom,
    login: _login,
    caught: _caught,
    inner: _inner,
    frameworkTrustsProxies: _trusts,
    meanwhile: _meanwhile,
    ...plain
  } = others;
  return {
    ...plain,
    input: (request) => (input === undefined ? factsOf(request) : input(factsOf(request))),
    ...(cost === undefined ? {} : { cost: typeof cost === "function" ? (request) => cost(factsOf(request)) : cost }),
    ...(skip === undefined ? {} : { skip: (request) => skip(factsOf(request)) }),
    ...(partitionKey === undefined ? {} : { partitionKey: (request) => partitionKey(factsOf(request)) }),
    ...(chargeAfter === undefined
      ? {}
      : { chargeAfter: (request, outcome, taken) => chargeAfter(factsOf(request), outcome, taken) }),
    ...(logError === undefined ? {} : { logError: (error) => logError(error) }),
  };
}
