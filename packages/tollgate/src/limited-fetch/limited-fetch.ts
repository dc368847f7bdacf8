import { checkChoice, checkOptions, checkWholeNumber, optionError } from "../core/check-options.ts";
import { checkFunction } from "../core/checks.ts";
import { type Clock, readUs, systemClock } from "../core/clock.ts";
import { type Cost, copyCost } from "../core/cost.ts";
import { type Duration, isZero, toMicroseconds, toMilliseconds } from "../core/duration.ts";
import { TollgateError } from "../core/errors.ts";
import { countsPlaces } from "../core/limits/places.ts";
import type { AsyncLimiter, Limiter } from "../limiter/limiter.ts";
import type { AsyncReservation } from "../limiter/reserving/reservation.ts";
import { readPolicies, readRetryAfter, readUsedUp } from "./advertised.ts";
import { extendBlock, ServerTurns } from "./server-turns.ts";
import { whenRead } from "./when-read.ts";

/** A function such as `fetch`. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Made by `limitedFetch`. */
export interface LimitedFetch extends Fetch {
  /**
   * Ends the block of an input, as `unblock` of the limiter does, and the one that this process keeps for a server:
   * under a limit that it learned, or if the limiter's store could not be told. Resolves with whether it was blocked.
   */
  readonly unblock: (input: string) => Promise<boolean>;
}

/** How requests are counted, and what is done with what servers answer. */
export interface LimitedFetchOptions {
  /** The limiter's input for a request: the host of its URL unless set. */
  readonly input?: string | ((request: Request) => string);
  /** What a request costs, 1 unless set. */
  readonly cost?: Cost | ((request: Request) => Cost) | undefined;
  /**
   * A request that cannot be sent within this time of the call is not sent: it rejects with a `DeniedError`. A retry
   * that cannot is left out.
   */
  readonly maxWait?: Duration | undefined;
  /** The longest time for which a server may block an input: an hour unless set. It may ask for longer. */
  readonly maxBlock?: Duration | undefined;
  /** How often a request that may be repeated is sent again after 429, 502, 503 and 504: 0 unless set, at most 10. */
  readonly retries?: number | undefined;
  /** Whether to hold to the limits that servers advertise with their windows (`RateLimit-Policy`), for each input. */
  readonly learn?: boolean | undefined;
  /** How long a request holds its place under a limit on concurrency: until its body is read, unless set. */
  readonly hold?: "body" | "headers" | undefined;
  /** Sends a request: `globalThis.fetch` unless set. */
  readonly fetch?: Fetch | undefined;
  /** The clock of the limiter, if that has one of its own. */
  readonly clock?: Clock | undefined;
}

const NAMES: Readonly<Record<keyof LimitedFetchOptions, true>> = {
  input: true,
  cost: true,
  maxWait: true,
  maxBlock: true,
  retries: true,
  learn: true,
  hold: true,
  fetch: true,
  clock: true,
};

const AN_HOUR_MS = 3_600_000;
const MOST_RETRIES = 10;
/** RFC 9110, 9.2.2: sending them twice means sending them once. */
const IDEMPOTENT = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"]);
const RETRIED = new Set([429, 502, 503, 504]);
/** The pause before the first retry, if the server asks for none; each one after is twice as long. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

type AnyLimiter = Limiter | AsyncLimiter;

/**
 * A `fetch` that waits for its turn under a limiter, and obeys the servers: `Retry-After`, and limits that are used up
 * by `RateLimit`, `X-RateLimit-*` and the like, block the input until the server says that it may go on.
 *
 * @throws TollgateError `ERR_OPTION`, `ERR_COST` or `ERR_DURATION`. The function rejects with a `DeniedError` for a
 *   request that was not sent, with the reason of its signal, and with what `fetch` rejects with.
 * @example
 * ```ts
 * import { createLimiter, perSecond } from "tollgate";
 * import { limitedFetch } from "tollgate/limited-fetch";
 *
 * const limiter = createLimiter({ limits: [perSecond(5)] });
 * const answer = async () => new Response("hello"); // a stand-in: leave it out to use the network
 * const politeFetch = limitedFetch(limiter, { fetch: answer, retries: 2 });
 * console.log(await (await politeFetch("https://api.example/v1/items")).text()); // hello
 * ```
 */
export function limitedFetch(limiter: AnyLimiter, options: LimitedFetchOptions = {}): LimitedFetch {
  if (typeof limiter?.acquire !== "function") {
    throw optionError(
      "limitedFetch",
      "a limiter made by createLimiter or combine",
      limiter,
      ": limitedFetch(limiter, {})",
    );
  }
  const client = new LimitedClient(limiter, checked(options));
  // An invalid URL rejects, as that of `fetch` does.
  const fetch = async (input: string | URL | Request, init?: RequestInit) => client.fetch(new Request(input, init));
  return Object.assign(fetch, { unblock: (input: string) => client.unblock(input) });
}

type Checked = ReturnType<typeof checked>;

function checked(options: LimitedFetchOptions) {
  checkOptions("limitedFetch", options, NAMES);
  const { cost = 1, maxWait, maxBlock = AN_HOUR_MS, retries = 0, learn = false, hold = "body" } = options;
  const { clock = systemClock, fetch = (request: Request) => globalThis.fetch(request) } = options;
  const input: unknown = "input" in options ? options.input : hostOf;
  if (typeof input !== "string" && typeof input !== "function")
    throw optionError("input", "a text, or a function of the request that returns one", input);
  checkWholeNumber("retries", retries, 0, MOST_RETRIES);
  checkChoice("learn", learn, [true, false]);
  checkChoice("hold", hold, ["body", "headers"]);
  checkFunction("fetch", options.fetch === undefined ? globalThis.fetch : options.fetch, "a function such as fetch");
  checkFunction("clock.now", clock?.now, "a clock such as systemClock");
  return {
    input: input as string | ((request: Request) => string),
    cost: typeof cost === "function" ? cost : copyCost(cost),
    maxWaitUs: maxWait === undefined ? undefined : isZero(maxWait) ? 0 : toMicroseconds("maxWait", maxWait),
    maxBlockMs: toMilliseconds(toMicroseconds("maxBlock", maxBlock)),
    ...{ retries, learn, hold, clock, fetch: fetch as Fetch },
  };
}

function hostOf({ url }: Request): string {
  return new URL(url).host;
}

/** A request, and how long it may still wait. */
interface Call {
  readonly request: Request;
  readonly input: string;
  readonly cost: Cost;
  readonly left: () => { readonly signal: AbortSignal; readonly maxWait: number | undefined };
}

interface Answer {
  readonly response: Response;
  /** The input that the answer is about: another host's after a redirect. */
  readonly from: string;
  /** Whether a retry may succeed. */
  readonly isLimited: boolean;
}

class LimitedClient {
  readonly #limiter: AnyLimiter;
  readonly #options: Checked;
  readonly #server: ServerTurns;

  constructor(limiter: AnyLimiter, options: Checked) {
    this.#limiter = limiter;
    this.#options = options;
    this.#server = new ServerTurns(options.clock);
  }

  fetch(request: Request): Promise<Response> {
    const call = this.#callOf(request);
    return this.#server.during(call.input, () => this.#sendInTurn(call));
  }

  async #sendInTurn(call: Call): Promise<Response> {
    const { request } = call;
    const mayRepeat = IDEMPOTENT.has(request.method) || request.headers.has("idempotency-key");
    let turn = await this.#turn(call, call.input);
    let retries = mayRepeat ? this.#options.retries : 0;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
      const { response, from, isLimited } = await this.#send(call, turn, retries > 0 ? pauseMs : undefined);
      if (retries === 0 || !isLimited) return response;
      retries -= 1;
      try {
        // The retry is redirected again, so it waits for a turn there, too.
        if (from !== call.input) free(await this.#server.during(from, () => this.#turn(call, from)));
        turn = await this.#turn(call, call.input);
      } catch (error) {
        if (request.signal.aborted) throw error;
        return response;
      }
      // It fails if the server has hung up meanwhile.
      await response.body?.cancel().catch(() => {});
    }
  }

  async unblock(input: string): Promise<boolean> {
    const wasBlocked = this.#server.unblock(input);
    return (await this.#limiter.unblock(input)) || wasBlocked;
  }

  #callOf(request: Request): Call {
    const { input, cost, clock, maxWaitUs } = this.#options;
    const { signal } = request;
    const untilUs = maxWaitUs === undefined ? undefined : readUs(clock) + maxWaitUs;
    return {
      request,
      input: typeof input === "function" ? input(request) : input,
      cost: typeof cost === "function" ? cost(request) : cost,
      left: () => ({
        signal,
        maxWait: untilUs === undefined ? undefined : toMilliseconds(Math.max(0, untilUs - readUs(clock))),
      }),
    };
  }

  #turn({ cost, left }: Call, input: string): Promise<AsyncReservation> {
    return this.#server.wait(input, left, () => this.#limiter.acquire(input, cost, left()));
  }

  /** Sends a request, which may be repeated after a pause if one is given. */
  async #send({ request, input }: Call, turn: AsyncReservation, pauseMs: number | undefined): Promise<Answer> {
    const { fetch, hold } = this.#options;
    try {
      // A body can be sent once, so a request that may be repeated is sent as a copy.
      const response = await fetch(pauseMs === undefined ? request : request.clone());
      const from = response.redirected ? this.#inputOf(response.url, request) : input;
      const isLimited = await this.#obey(from, response, pauseMs);
      // A retry needs the place itself.
      const isRead = hold === "body" && !(isLimited && pauseMs !== undefined);
      if (isRead && turn.decision.limits.some(countsPlaces))
        return { response: whenRead(response, () => free(turn)), from, isLimited };
      free(turn);
      return { response, from, isLimited };
    } catch (error) {
      free(turn);
      throw error;
    }
  }

  #inputOf(url: string, { method, headers }: Request): string {
    const { input } = this.#options;
    return typeof input === "function" ? input(new Request(url, { method, headers })) : input;
  }

  /** Blocks the input for as long as the server asks. Returns whether a retry may succeed. */
  async #obey(input: string, { headers, status }: Response, pauseMs: number | undefined): Promise<boolean> {
    const { clock, learn, maxBlockMs } = this.#options;
    const nowMs = clock.now();
    if (learn) this.#server.learn(input, readPolicies(headers));
    const usedUpMs = readUsedUp(headers, nowMs);
    const isLimited = RETRIED.has(status) || (status === 403 && usedUpMs.length > 0);
    const askedMs = Math.max(readRetryAfter(headers, nowMs), ...usedUpMs);
    const backoffMs = isLimited && pauseMs !== undefined ? Math.min(pauseMs, LONGEST_PAUSE_MS) : 0;
    const blockMs = Math.min(askedMs > 0 ? askedMs : backoffMs, maxBlockMs);
    // Whole microseconds, as durations are.
    if (blockMs > 0) await this.#block(input, Math.ceil(blockMs * 1_000) / 1_000);
    return isLimited;
  }

  async #block(input: string, ms: number): Promise<void> {
    try {
      await extendBlock(this.#limiter, input, ms, this.#options.clock);
    } catch (error) {
      if (!(error instanceof TollgateError && error.code === "ERR_STORE")) throw error;
      // The answer is there, and this process obeys it even if the store cannot be told.
      await this.#server.block(input, ms);
    }
  }
}

/** What was taken stays taken. If its place cannot be freed now, the place expires. */
function free(turn: AsyncReservation): void {
  turn.settle().catch(() => {});
}
