import { optionError } from "../core/check-options.ts";
import { isPromise } from "../core/checks.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { type Cost, copyCost } from "../core/cost.ts";
import type { Decision, Denied } from "../core/decision.ts";
import { mapMaybeAsync } from "../core/maybe-async.ts";
import type { AsyncLimiter, Limiter } from "../limiter/limiter.ts";
import type { CountedCall } from "../limiter/reserving/counted-call.ts";
import { type Asked, noteDecision } from "./asked.ts";
import { type CheckedGateOptions, checkedPartition, checkGateOptions } from "./check-gate-options.ts";
import { denialContent, prefersProblem, retryAfterSeconds } from "./denial.ts";
import { type Departure, saysDeparted } from "./departure.ts";
import { type ErrorLog, safeErrorLog, toError } from "./error-log.ts";
import type { GateOptions } from "./gate-options.ts";
import { EXPOSE, type HeaderList, NO_STORE } from "./header-list.ts";
import type { HttpFacts } from "./http-facts.ts";
import { type AddressFilter, addressFilterOf } from "./identity/address-filter.ts";
import { mayTakePlaces, mayTakePlacesNow, type TakingCalls } from "./limiter-shape.ts";
import { RateLimitHeaders } from "./rate-limit-headers.ts";
import type { RateLimited } from "./rate-limited.ts";
import { placesOf, type RequestPlaces } from "./request-places.ts";
import { Settlement } from "./settlement.ts";
import {
  DEPARTED,
  type DenialResponse,
  FORBIDDEN,
  type Pass,
  type ResponseContent,
  unavailable,
  type Verdict,
} from "./verdict.ts";

/** What a gate has to know of a framework. */
export interface Framework<Request, Client> {
  readonly factsOf: (request: Request) => HttpFacts;
  /**
   * The object that all limiters of a request and its response share, whatever their adapters. Absent where it is the
   * request itself.
   */
  readonly exchangeOf?: (request: Request) => object;
  /** Caches the address of the request's peer: the peer may go while the gate waits. */
  readonly keepAddress: (request: Request) => void;
  /** Aborts when the client has gone. It is asked for only if requests wait. */
  readonly departureOf: (client: Client) => Departure | undefined;
  /** Gives handlers the decision, by the name of a property; absent where they find it by a function. */
  readonly attach?: (request: Request, property: string, decision: RateLimited) => void;
  /** The options that only this adapter has. */
  readonly ownOptions?: readonly string[];
}

const UNCOUNTED: Pass = { pass: true, asked: undefined, headers: [], settlement: undefined, places: undefined };

/**
 * Turns a request into a verdict: the one path that all adapters take. It answers at once if the limiter is
 * synchronous, no option returns a promise, and the request need not wait. `Client` is by what an adapter sees that the
 * client has gone.
 */
export class Gate<Request, Input, Client> {
  readonly #options: CheckedGateOptions<Request, Input>;
  readonly #limiter: Limiter<Input> | AsyncLimiter<Input>;
  readonly #framework: Framework<Request, Client>;
  readonly #inputOf: (request: Request) => Input | Promise<Input>;
  readonly #headers: RateLimitHeaders;
  /** The header for scripts of other origins, if it is wanted. */
  readonly #exposed: HeaderList;
  readonly #filter: AddressFilter | undefined;
  /** Whether some requests may pass uncounted. */
  readonly #exempts: boolean;
  /** Whether the calls of requests are corrected, or wait. */
  readonly #keepsCalls: boolean;
  readonly #mayTakePlaces: boolean;
  readonly #clock: Clock;
  readonly #logError: ErrorLog<Request>;

  /** @throws TollgateError `ERR_OPTION` when an option is not what is expected. */
  constructor(options: GateOptions<Request, Input>, framework: Framework<Request, Client>) {
    this.#options = checkGateOptions(options, framework.ownOptions ?? []);
    const { limiter, headers = "draft-11", exposeHeaders = false, logError, requestProperty } = options;
    if (requestProperty !== undefined && framework.attach === undefined)
      throw optionError("requestProperty", "none, as decisionOf(request) finds the decision", requestProperty);
    this.#limiter = limiter;
    this.#framework = framework;
    // Without an `input` the limiter takes the facts of a request.
    this.#inputOf = this.#options.input ?? (framework.factsOf as unknown as (request: Request) => Input);
    this.#headers = new RateLimitHeaders(headers);
    const names = [...this.#headers.names, "Retry-After"].join(", ");
    this.#exposed = exposeHeaders ? [[EXPOSE, names]] : [];
    this.#filter = addressFilterOf(options);
    const { settle, skip, chargeAfter, maxWaitMs } = this.#options;
    this.#exempts = skip !== undefined || this.#filter !== undefined;
    this.#keepsCalls = settle || maxWaitMs > 0 || chargeAfter !== undefined;
    this.#mayTakePlaces = mayTakePlaces(limiter);
    this.#clock = "clock" in limiter ? (limiter.clock as Clock) : systemClock;
    this.#logError = safeErrorLog(logError);
  }

  /** Decides about a request. The framework handles what this throws or rejects with. */
  check(request: Request, client: Client): Verdict | Promise<Verdict> {
    try {
      const verdict = this.#exempts ? this.#judge(request, client) : this.#count(request, client);
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
  decide(request: Request, client: Client, act: (verdict: Verdict) => unknown, fail: (error: unknown) => void): void {
    let verdict: Verdict | Promise<Verdict>;
    try {
      verdict = this.check(request, client);
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

  #judge(request: Request, client: Client): Verdict | Promise<Verdict> {
    const filtered = this.#filter?.of(this.#framework.factsOf(request));
    if (filtered === "allowed") return UNCOUNTED;
    if (filtered === "denied") return uncountedDenial(FORBIDDEN);
    const { skip } = this.#options;
    if (skip === undefined) return this.#count(request, client);
    return mapMaybeAsync(skip(request), (skips) => (skips ? UNCOUNTED : this.#count(request, client)));
  }

  #count(request: Request, client: Client): Verdict | Promise<Verdict> {
    const input = this.#inputOf(request);
    const { cost } = this.#options;
    if (!isPromise(input) && typeof cost !== "function") return this.#consume(request, client, input, cost);
    return mapMaybeAsync(input, (known) => this.#price(request, client, known));
  }

  #price(request: Request, client: Client, input: Input): Verdict | Promise<Verdict> {
    const { cost } = this.#options;
    if (typeof cost !== "function") return this.#consume(request, client, input, cost);
    // The function may return the same object for another request, while this one is decided.
    return mapMaybeAsync(cost(request), (costs) => this.#consume(request, client, input, copyCost(costs)));
  }

  #consume(request: Request, client: Client, input: Input, cost: Cost | undefined): Verdict | Promise<Verdict> {
    const { partitionKey } = this.#options;
    // Before anything is counted: it may throw.
    const partition = partitionKey && checkedPartition(partitionKey(request));
    if (this.#keepsCalls || (this.#mayTakePlaces && mayTakePlacesNow(this.#limiter)))
      return this.#take(request, client, input, cost, partition);
    const decision = this.#limiter.consume(input, cost);
    if (isPromise(decision)) return decision.then((known) => this.#verdictOn(request, known, partition));
    return this.#verdictOn(request, decision, partition);
  }

  #take(
    request: Request,
    client: Client,
    input: Input,
    cost: Cost | undefined,
    partition: string | undefined,
  ): Verdict | Promise<Verdict> {
    const limiter = this.#limiter as unknown as TakingCalls<Input>;
    const act = (counted: CountedCall) => this.#verdictWith(request, counted, partition);
    const { maxWaitMs } = this.#options;
    if (maxWaitMs === 0) return mapMaybeAsync<CountedCall, Verdict>(limiter.take(input, cost), act);
    const signal = this.#framework.departureOf(client);
    const taken = limiter.take(input, cost, { signal, maxWait: maxWaitMs });
    if (!isPromise(taken)) return act(taken);
    return taken.then(act, (error: unknown) => {
      if (saysDeparted(error, signal)) return uncountedDenial(DEPARTED);
      throw error;
    });
  }

  /** The verdict on a request that may have taken places: they are freed if it fails. */
  #verdictWith(request: Request, counted: CountedCall, partition: string | undefined): Verdict {
    const { chargeAfter, settle } = this.#options;
    const settlement = settle || chargeAfter !== undefined ? this.#settlementOf(request, counted) : undefined;
    const places = placesOf(counted, { clock: this.#clock, logError: (error) => this.#logError(error, request) });
    try {
      return this.#verdictOn(request, counted.decision, partition, settlement, places);
    } catch (error) {
      places?.hold()();
      throw error;
    }
  }

  #verdictOn(
    request: Request,
    decision: Decision,
    partition: string | undefined,
    settlement?: Settlement,
    places?: RequestPlaces,
  ): Verdict {
    const { exchangeOf, attach } = this.#framework;
    const exchange = exchangeOf === undefined ? (request as object) : exchangeOf(request);
    const asked = noteDecision(exchange, decision, this.#headers.formats, partition, settlement?.tell);
    const { decision: known } = asked;
    attach?.(request, this.#options.requestProperty, known);
    asked.given = this.#headers.of(asked, this.#clock);
    const headers = this.#exposed.length === 0 ? asked.given : [...asked.given, ...this.#exposed];
    if (!known.allowed) return this.#denial(request, asked, known, headers);
    return { pass: true, asked, headers, settlement, places };
  }

  #settlementOf(request: Request, counted: CountedCall): Settlement {
    const { chargeAfter, settleAborted } = this.#options;
    const { decision } = counted;
    // If no limit applied or the store was unavailable, nothing was taken that could be given back.
    const awaits = chargeAfter !== undefined && decision.allowed && decision.limits.length > 0;
    return new Settlement({
      counted,
      actualCost: awaits ? (outcome, taken) => chargeAfter(request, outcome, taken) : undefined,
      settleAborted,
      logError: (error) => this.#logError(error, request),
    });
  }

  #denial(request: Request, asked: Asked, decision: Denied, headers: HeaderList): DenialResponse {
    const { denial, status, failureStatus, jitterMs } = this.#options;
    const seconds = retryAfterSeconds(asked, jitterMs);
    const wantsProblem = denial === "negotiate" && prefersProblem(this.#framework.factsOf(request).header("accept"));
    const body = denial === "problem" || wantsProblem ? "problem" : "json";
    return {
      pass: false,
      asked,
      decision,
      headers: [...headers, ...(seconds === null ? [] : [["Retry-After", String(seconds)] as const]), NO_STORE],
      content: denialContent(decision, seconds, { body, status, failureStatus }),
    };
  }

  #failed(error: unknown, request: Request): Verdict {
    const { onError, failureStatus } = this.#options;
    if (onError === "throw") throw toError(error);
    this.#logError(error, request);
    return onError === "allow" ? UNCOUNTED : uncountedDenial(unavailable(failureStatus));
  }
}

function uncountedDenial(content: ResponseContent): DenialResponse {
  return { pass: false, asked: undefined, decision: undefined, headers: [NO_STORE], content };
}
