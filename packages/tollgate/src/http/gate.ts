import { type Clock, systemClock } from "../core/clock.ts";
import type { Cost } from "../core/cost.ts";
import type { Decision, Denied } from "../core/decision.ts";
import { TollgateError } from "../core/errors.ts";
import type { AsyncHandle, AsyncLimiter, Handle, Limiter } from "../limiter/limiter.ts";
import { FORBIDDEN, type HttpAnswer, UNAVAILABLE } from "./answer.ts";
import { type CheckedGateOptions, checkGateOptions } from "./check-gate-options.ts";
import { denialAnswer, prefersProblem, retryAfterSeconds } from "./denial.ts";
import type { HttpFacts } from "./facts.ts";
import type { AdmittanceOptions, GateOptions } from "./gate-options.ts";
import { EXPOSE, type HeaderList, NO_STORE } from "./header-list.ts";
import { RateLimitHeaders } from "./headers.ts";
import { Admittance } from "./identity/admittance.ts";
import { checkPartition } from "./partition.ts";
import { guardedReporter, type Reporter } from "./report-error.ts";
import { type Settle, settlement } from "./settlement.ts";
import { toError } from "./thrown-error.ts";
import { isPromise, whenReady } from "./when-ready.ts";

/** The handler's turn. */
export interface Pass {
  readonly pass: true;
  /** `undefined` for a request that was not counted. */
  readonly decision: Decision | undefined;
  /** Fields for the handler's response. */
  readonly headers: HeaderList;
  /** Wants to hear how the response ended. */
  readonly settle: Settle | undefined;
}

/** An answer in the handler's place. */
export interface Refusal {
  readonly pass: false;
  /** `undefined` where no limiter denied. */
  readonly decision: Denied | undefined;
  /** Fields for the answer, whoever writes it. */
  readonly headers: HeaderList;
  readonly answer: HttpAnswer;
}

/** What becomes of a request. */
export type Verdict = Pass | Refusal;

/** A request as it was counted. */
interface Counted<Request> {
  readonly request: Request;
  readonly cost: Cost;
  readonly partition: string | undefined;
  /** Of its key and limits, where it has to be settled. */
  readonly handle: Handle | AsyncHandle | undefined;
}

/** What is asked where nothing else has to be. */
interface Plain {
  readonly limiter: Limiter<HttpFacts>;
  readonly cost: Cost;
}

const UNCOUNTED: Pass = { pass: true, decision: undefined, headers: [], settle: undefined };

/**
 * The one path that every adapter takes: request in, verdict out. It answers at once where the limiter is synchronous and
 * none of the functions asked returns a promise.
 */
export class Gate<Request, Input> {
  readonly #options: CheckedGateOptions<Request, Input>;
  readonly #limiter: Limiter<Input> | AsyncLimiter<Input>;
  readonly #factsOf: (request: Request) => HttpFacts;
  readonly #headers: RateLimitHeaders;
  /** What scripts of other origins may read. */
  readonly #exposed: HeaderList;
  readonly #admittance: Admittance | undefined;
  readonly #clock: Clock;
  readonly #report: Reporter<Request>;
  /** Set where most options have their defaults. */
  readonly #plain: Plain | undefined;

  /**
   * `own` names the options that the adapter has besides.
   *
   * @throws TollgateError `ERR_OPTION` when an option is not what is expected.
   */
  constructor(
    options: GateOptions<Request, Input>,
    factsOf: (request: Request) => HttpFacts,
    own: readonly string[] = [],
  ) {
    this.#options = checkGateOptions(options, own);
    const { limiter, headers = "draft-11", exposeHeaders = false, reportError } = options;
    this.#limiter = limiter;
    this.#factsOf = factsOf;
    this.#headers = new RateLimitHeaders(headers);
    const names = [...this.#headers.fieldNames, "Retry-After"].join(", ");
    this.#exposed = exposeHeaders ? [[EXPOSE, names]] : [];
    this.#admittance = admittanceOf(options);
    this.#clock = "clock" in limiter ? (limiter.clock as Clock) : systemClock;
    this.#report = guardedReporter(reportError);
    this.#plain = this.#admittance === undefined ? plainOf(limiter, this.#options) : undefined;
  }

  /** What is thrown, at once or later, is for the framework to handle. */
  check(request: Request): Verdict | Promise<Verdict> {
    try {
      const verdict = this.#judge(request);
      return isPromise(verdict) ? verdict.catch((error: unknown) => this.#failed(error, request)) : verdict;
    } catch (error) {
      return this.#failed(error, request);
    }
  }

  #judge(request: Request): Verdict | Promise<Verdict> {
    if (this.#plain !== undefined) return this.#judgePlainly(this.#plain, request);
    const admitted = this.#admittance?.of(this.#factsOf(request));
    if (admitted === "always") return UNCOUNTED;
    if (admitted === "never") {
      return { pass: false, decision: undefined, headers: [NO_STORE], answer: FORBIDDEN };
    }
    const { skip } = this.#options;
    if (skip === undefined) return this.#ask(request);
    return whenReady(skip(request), (skips) => (skips ? UNCOUNTED : this.#ask(request)));
  }

  /** As below, where there is nothing to ask but the limiter, which takes the facts. */
  #judgePlainly({ limiter, cost }: Plain, request: Request): Verdict {
    const decision = limiter.consume(this.#factsOf(request), cost);
    const headers = this.#fieldsFor(decision, undefined);
    return decision.allowed
      ? { pass: true, decision, headers, settle: undefined }
      : this.#refusal(request, decision, headers);
  }

  #ask(request: Request): Verdict | Promise<Verdict> {
    const { input = this.#factsOf as unknown as (request: Request) => Input, cost } = this.#options;
    return whenReady(input(request), (asked) =>
      typeof cost === "function"
        ? whenReady(cost(request), (costs) => this.#consume(request, asked, costs))
        : this.#consume(request, asked, cost),
    );
  }

  #consume(request: Request, input: Input, cost: Cost): Verdict | Promise<Verdict> {
    // Asked before anything is counted: it may throw.
    const partition = this.#partitionOf(request);
    const limiter = this.#limiter;
    const handle = this.#options.chargeAfter === undefined ? undefined : limiter.handle(input);
    const counted = { request, cost, partition, handle };
    const decided = handle === undefined ? limiter.consume(input, cost) : handle.consume(cost);
    return isPromise(decided)
      ? decided.then((decision) => this.#verdictOn(counted, decision))
      : this.#verdictOn(counted, decided);
  }

  #partitionOf(request: Request): string | undefined {
    const { partitionKey } = this.#options;
    if (partitionKey === undefined) return undefined;
    const partition: unknown = partitionKey(request);
    checkPartition(partition);
    return partition;
  }

  #verdictOn(counted: Counted<Request>, decision: Decision): Verdict {
    const headers = this.#fieldsFor(decision, counted.partition);
    if (!decision.allowed) return this.#refusal(counted.request, decision, headers);
    return { pass: true, decision, headers, settle: this.#settleFor(counted, decision) };
  }

  #fieldsFor(decision: Decision, partition: string | undefined): HeaderList {
    const nowMs = this.#headers.tellMoments ? this.#clock.now() : 0;
    const fields = this.#headers.fields(decision, nowMs, partition);
    return this.#exposed.length === 0 ? fields : [...fields, ...this.#exposed];
  }

  #settleFor({ request, cost, handle }: Counted<Request>, decision: Decision): Settle | undefined {
    const { chargeAfter, settleAborted } = this.#options;
    const { limits } = decision;
    // Where no limit applied, or the store could not be asked, nothing was taken that could be given back.
    if (chargeAfter === undefined || handle === undefined || limits.length === 0) return undefined;
    return settlement({
      handle,
      taken: cost,
      decision,
      units: new Set(limits.map(({ unit }) => unit)),
      actualCost: (outcome) => chargeAfter(request, outcome),
      settleAborted,
      reportError: (error) => this.#report(error, request),
    });
  }

  #refusal(request: Request, decision: Denied, fields: HeaderList): Refusal {
    const { denial, status, retryJitter } = this.#options;
    const seconds = retryAfterSeconds(decision, retryJitter);
    const wantsProblem = denial === "negotiate" && prefersProblem(this.#factsOf(request).header("accept"));
    const body = denial === "problem" || wantsProblem ? "problem" : "json";
    return {
      pass: false,
      decision,
      headers: [...fields, ...(seconds === null ? [] : [["Retry-After", String(seconds)] as const]), NO_STORE],
      answer: denialAnswer(decision, seconds, { body, status }),
    };
  }

  #failed(error: unknown, request: Request): Verdict {
    const { onError } = this.#options;
    if (onError === "throw") throw toError(error);
    this.#report(error, request);
    return onError === "allow"
      ? UNCOUNTED
      : { pass: false, decision: undefined, headers: [NO_STORE], answer: UNAVAILABLE };
  }
}

/** Without an `input` the limiter takes the facts of a request. */
function plainOf<Request, Input>(
  limiter: Limiter<Input> | AsyncLimiter<Input>,
  { cost, input, skip, partitionKey, chargeAfter }: CheckedGateOptions<Request, Input>,
): Plain | undefined {
  const asksMore = [input, skip, partitionKey, chargeAfter].some((option) => option !== undefined);
  if (asksMore || typeof cost === "function" || limiter.kind !== "sync") return undefined;
  return { limiter: limiter as unknown as Limiter<HttpFacts>, cost };
}

function admittanceOf(options: AdmittanceOptions): Admittance | undefined {
  const { allow = [], deny = [], trustProxy = false, addressHeader } = options;
  const admittance = new Admittance(allow, deny, trustProxy, addressHeader);
  if (allow.length + deny.length > 0) return admittance;
  const name = (["trustProxy", "addressHeader"] as const).find((option) => options[option] !== undefined);
  if (name === undefined) return undefined;
  throw new TollgateError(
    "ERR_OPTION",
    `${name}: expected beside allow or deny, whose addresses it is for (the limiter's key is clientIp({ trustProxy })), got neither`,
  );
}
