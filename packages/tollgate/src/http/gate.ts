import { isPromise } from "../core/checks.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { type Cost, copyCost } from "../core/cost.ts";
import type { Decision, Denied } from "../core/decision.ts";
import { mapMaybeAsync } from "../core/maybe-async.ts";
import type { AsyncLimiter } from "../limiter/async-limiter.ts";
import type { HandleTakingPlaces, PricedHandle, Taken, TakingPlaces } from "../limiter/for-adapters.ts";
import type { Limiter } from "../limiter/limiter.ts";
import { type Asked, askedBefore, noteAsked } from "./asked.ts";
import { type CheckedGateOptions, checkGateOptions, checkPartition } from "./check-gate-options.ts";
import { denialContent, prefersProblem, retryAfterSeconds } from "./denial.ts";
import { type ErrorLog, safeErrorLog, toError } from "./error-log.ts";
import type { GateOptions } from "./gate-options.ts";
import { EXPOSE, type HeaderList, NO_STORE } from "./header-list.ts";
import type { HttpFacts } from "./http-facts.ts";
import { type AddressFilter, addressFilterOf } from "./identity/address-filter.ts";
import { type AnyHandle, defaultCostOf, isPriced, readyHandle, takingPlaces } from "./limiter-shape.ts";
import { RateLimitHeaders } from "./rate-limit-headers.ts";
import { rateLimitedBy } from "./rate-limited.ts";
import { decisionOn, placesOf, type RequestPlaces } from "./request-places.ts";
import { Settlement } from "./settlement.ts";
import {
  type DenialResponse,
  FORBIDDEN,
  type Pass,
  type ResponseContent,
  UNAVAILABLE,
  type Verdict,
} from "./verdict.ts";

/** What a gate has to know of a framework. */
export interface Framework<Request> {
  readonly factsOf: (request: Request) => HttpFacts;
  /** The object that all limiters of a request and its response share, whatever their adapters. */
  readonly exchangeOf: (request: Request) => object;
  /** Caches the address of the request's peer: the peer may go while the gate waits. */
  readonly keepAddress: (request: Request) => void;
  /** The options that only this adapter has. */
  readonly ownOptions?: readonly string[];
}

/** What the fast path needs. */
interface Plain {
  readonly limiter: Limiter<HttpFacts>;
  readonly cost: Cost | undefined;
}

const UNCOUNTED: Pass = { pass: true, asked: undefined, headers: [], settlement: undefined, places: undefined };

/**
 * Turns a request into a verdict: the one path that all adapters take. It answers at once if the limiter is synchronous
 * and no option returns a promise.
 */
export class Gate<Request, Input> {
  readonly #options: CheckedGateOptions<Request, Input>;
  readonly #limiter: Limiter<Input> | AsyncLimiter<Input>;
  readonly #framework: Framework<Request>;
  readonly #headers: RateLimitHeaders;
  /** The header for scripts of other origins, if it is wanted. */
  readonly #exposed: HeaderList;
  readonly #filter: AddressFilter | undefined;
  /** Set if requests may take places: then a limiter and its handles have one verb more. */
  readonly #takingPlaces: TakingPlaces<Input> | undefined;
  /** Whether the limiter finds what requests cost, and its handles do. */
  readonly #isPriced: boolean;
  readonly #clock: Clock;
  readonly #now: () => number;
  readonly #logError: ErrorLog<Request>;
  /** Set if the options allow the fast path. */
  readonly #plain: Plain | undefined;

  /** @throws TollgateError `ERR_OPTION` when an option is not what is expected. */
  constructor(options: GateOptions<Request, Input>, framework: Framework<Request>) {
    this.#options = checkGateOptions(options, framework.ownOptions ?? []);
    const { limiter, headers = "draft-11", exposeHeaders = false, logError } = options;
    this.#limiter = limiter;
    this.#framework = framework;
    this.#headers = new RateLimitHeaders(headers);
    const names = [...this.#headers.names, "Retry-After"].join(", ");
    this.#exposed = exposeHeaders ? [[EXPOSE, names]] : [];
    this.#filter = addressFilterOf(options);
    this.#takingPlaces = takingPlaces(limiter);
    this.#isPriced = defaultCostOf(limiter) === undefined;
    const clock = "clock" in limiter ? (limiter.clock as Clock) : systemClock;
    this.#clock = clock;
    this.#now = () => clock.now();
    this.#logError = safeErrorLog(logError);
    this.#plain = this.#filter === undefined ? plainOf(limiter, this.#options) : undefined;
  }

  /** Decides about a request. The framework handles what this throws or rejects with. */
  check(request: Request): Verdict | Promise<Verdict> {
    try {
      const verdict = this.#judge(request);
      if (!isPromise(verdict)) return verdict;
      this.#framework.keepAddress(request);
      return verdict.catch((error: unknown) => this.#failed(error, request));
    } catch (error) {
      return this.#failed(error, request);
    }
  }

  /**
   * Calls `act` with the verdict, or `fail` with what was thrown: at once if possible. Errors of `act` are the
   * caller's.
   */
  decide(request: Request, act: (verdict: Verdict) => unknown, fail: (error: unknown) => void): void {
    let verdict: Verdict | Promise<Verdict>;
    try {
      verdict = this.check(request);
    } catch (error) {
      fail(error);
      return;
    }
    if (isPromise(verdict)) void verdict.then(act, fail);
    else void act(verdict);
  }

  /** Logs an error that the framework does not get. */
  logError(error: unknown, request: Request): void {
    this.#logError(error, request);
  }

  #judge(request: Request): Verdict | Promise<Verdict> {
    if (this.#plain !== undefined) return this.#judgePlainly(this.#plain, request);
    const filtered = this.#filter?.of(this.#framework.factsOf(request));
    if (filtered === "allowed") return UNCOUNTED;
    if (filtered === "denied") return uncountedDenial(FORBIDDEN);
    const { skip } = this.#options;
    if (skip === undefined) return this.#count(request);
    return mapMaybeAsync(skip(request), (skips) => (skips ? UNCOUNTED : this.#count(request)));
  }

  /** The fast path: the limiter takes the facts, and no option has to be called. */
  #judgePlainly({ limiter, cost }: Plain, request: Request): Verdict {
    const decision = limiter.consume(this.#framework.factsOf(request), cost);
    return this.#verdictOn(request, decision, undefined, undefined);
  }

  #count(request: Request): Verdict | Promise<Verdict> {
    const { input = this.#framework.factsOf as unknown as (request: Request) => Input, cost } = this.#options;
    return mapMaybeAsync(input(request), (known) =>
      typeof cost === "function"
        ? mapMaybeAsync(cost(request), (costs) =>
            // The function may return the same object for another request, while this one is decided.
            this.#consume(request, known, copyCost(costs)),
          )
        : this.#consume(request, known, cost),
    );
  }

  #consume(request: Request, input: Input, cost: Cost | undefined): Verdict | Promise<Verdict> {
    // Before anything is counted: it may throw.
    const partition = this.#partitionOf(request);
    const { chargeAfter, settle } = this.#options;
    if (!settle && chargeAfter === undefined) {
      const taken = this.#takingPlaces?.consumeOrReserve(input, cost) ?? this.#limiter.consume(input, cost);
      return mapMaybeAsync<Taken, Verdict>(taken, (known) => this.#verdictWith(request, known, partition, undefined));
    }
    const known = this.#limiter.handle(input);
    return mapMaybeAsync<AnyHandle, Verdict>(this.#isPriced ? readyHandle(known) : known, (handle) => {
      const priced = isPriced(handle) ? handle : undefined;
      const own = priced === undefined ? (cost ?? 1) : priced.costOf(cost);
      return mapMaybeAsync(this.#takeBy(handle, own), (taken) =>
        this.#verdictWith(
          request,
          taken,
          partition,
          this.#settlementOf(request, own, handle, priced, decisionOn(taken)),
        ),
      );
    });
  }

  #takeBy(handle: AnyHandle, cost: Cost): Taken | Promise<Taken> {
    if (this.#takingPlaces === undefined) return handle.consume(cost);
    return (handle as AnyHandle & HandleTakingPlaces).consumeOrReserve(cost);
  }

  #partitionOf(request: Request): string | undefined {
    const { partitionKey } = this.#options;
    if (partitionKey === undefined) return undefined;
    const partition: unknown = partitionKey(request);
    checkPartition(partition);
    return partition;
  }

  /** The verdict on a request that may have taken places: they are freed if it fails. */
  #verdictWith(
    request: Request,
    taken: Taken,
    partition: string | undefined,
    settlement: Settlement | undefined,
  ): Verdict {
    const places = placesOf(taken, { clock: this.#clock, logError: (error) => this.#logError(error, request) });
    try {
      return this.#verdictOn(request, decisionOn(taken), partition, settlement, places);
    } catch (error) {
      places?.hold()();
      throw error;
    }
  }

  #verdictOn(
    request: Request,
    decision: Decision,
    partition: string | undefined,
    settlement: Settlement | undefined,
    places?: RequestPlaces,
  ): Verdict {
    const asked = this.#ask(request, decision, partition, settlement);
    const headers = this.#headers.of(asked, this.#now);
    asked.given = headers;
    const all = this.#exposed.length === 0 ? headers : [...headers, ...this.#exposed];
    const { decision: known } = asked;
    if (!known.allowed) return this.#denial(request, asked, known, all);
    return { pass: true, asked, headers: all, settlement, places };
  }

  /** Notes the decision with the request, for handlers and for the limiters that follow. */
  #ask(request: Request, decision: Decision, partition: string | undefined, settlement: Settlement | undefined): Asked {
    const exchange = this.#framework.exchangeOf(request);
    const before = askedBefore(exchange);
    const settle = settlement?.tell ?? before?.settle;
    const asked: Asked = {
      decision: rateLimitedBy(decision, settle),
      formats: this.#headers.formats,
      partition,
      before,
      settle,
      given: [],
      isOver: false,
    };
    noteAsked(exchange, asked);
    return asked;
  }

  #settlementOf(
    request: Request,
    cost: Cost,
    handle: AnyHandle,
    priced: PricedHandle | undefined,
    decision: Decision,
  ): Settlement {
    const { chargeAfter, settleAborted } = this.#options;
    // If no limit applied or the store was unavailable, nothing was taken that could be given back.
    const awaits = chargeAfter !== undefined && decision.allowed && decision.limits.length > 0;
    return new Settlement({
      handle,
      taken: decision.allowed ? cost : 0,
      decision,
      actualCost: awaits ? (outcome, taken) => chargeAfter(request, outcome, taken) : undefined,
      settleAborted,
      translate: priced && ((own) => priced.givenCost(own)),
      logError: (error) => this.#logError(error, request),
    });
  }

  #denial(request: Request, asked: Asked, decision: Denied, headers: HeaderList): DenialResponse {
    const { denial, status, retryJitterSeconds } = this.#options;
    const seconds = retryAfterSeconds(asked, retryJitterSeconds);
    const wantsProblem = denial === "negotiate" && prefersProblem(this.#framework.factsOf(request).header("accept"));
    const body = denial === "problem" || wantsProblem ? "problem" : "json";
    return {
      pass: false,
      asked,
      decision,
      headers: [...headers, ...(seconds === null ? [] : [["Retry-After", String(seconds)] as const]), NO_STORE],
      content: denialContent(decision, seconds, { body, status }),
    };
  }

  #failed(error: unknown, request: Request): Verdict {
    const { onError } = this.#options;
    if (onError === "throw") throw toError(error);
    this.#logError(error, request);
    return onError === "allow" ? UNCOUNTED : uncountedDenial(UNAVAILABLE);
  }
}

function uncountedDenial(content: ResponseContent): DenialResponse {
  return { pass: false, asked: undefined, decision: undefined, headers: [NO_STORE], content };
}

/** Without an `input` the limiter takes the facts of a request. */
function plainOf<Request, Input>(
  limiter: Limiter<Input> | AsyncLimiter<Input>,
  { cost, input, skip, partitionKey, chargeAfter, settle }: CheckedGateOptions<Request, Input>,
): Plain | undefined {
  const callsMore = [input, skip, partitionKey, chargeAfter].some((option) => option !== undefined);
  if (callsMore || settle || typeof cost === "function" || limiter.kind !== "sync") return undefined;
  if (takingPlaces(limiter) !== undefined) return undefined;
  return { limiter: limiter as unknown as Limiter<HttpFacts>, cost };
}
