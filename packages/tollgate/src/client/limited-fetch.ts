import { checkChoice, checkOptions, optionError } from "../core/check-options.ts";
import { checkFunction } from "../core/checks.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import type { Cost } from "../core/cost.ts";
import { type Duration, toMicroseconds } from "../core/duration.ts";
import { TollgateError } from "../core/errors.ts";
import type { AsyncLimiter } from "../limiter/async-limiter.ts";
import type { Limiter } from "../limiter/limiter.ts";
import { DeniedError } from "../limiter/outgoing-work.ts";
import type { AsyncReservation } from "../limiter/reservation.ts";
import { readAdvertised, readRetryAfter } from "./advertised.ts";
import { ServerLimits } from "./server-limits.ts";

/** A function such as `fetch`. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** How requests are counted, and what is done with what servers answer. */
export interface LimitedFetchOptions {
  /** The limiter's input for a request: the host of its URL unless set. */
  readonly key?: string | ((request: Request) => string) | undefined;
  /** What a request costs, 1 unless set. */
  readonly cost?: Cost | ((request: Request) => Cost) | undefined;
  /** A request that cannot be sent within this time is not sent: it rejects with a `DeniedError`. */
  readonly maxWait?: Duration | undefined;
  /** The longest time for which a server may block a key: an hour unless set. It may ask for longer. */
  readonly maxBlock?: Duration | undefined;
  /** How often a request that may be repeated is sent again after 429, 502, 503 and 504: 0 unless set, at most 10. */
  readonly retries?: number | undefined;
  /** Whether to hold to the limits that servers advertise with their windows (`RateLimit-Policy`), for each key. */
  readonly learn?: boolean | undefined;
  /** Sends a request: `globalThis.fetch` unless set. */
  readonly fetch?: Fetch | undefined;
  /** The clock of the limiter, if that has one of its own. */
  readonly clock?: Clock | undefined;
}

const NAMES: Readonly<Record<keyof LimitedFetchOptions, true>> = {
  key: true,
  cost: true,
  maxWait: true,
  maxBlock: true,
  retries: true,
  learn: true,
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
 * by `RateLimit`, `X-RateLimit-*` and the like, block the key until the server says that it may go on.
 *
 * @throws TollgateError `ERR_OPTION` or `ERR_DURATION`. The function rejects with a `DeniedError` for a request that
 *   was not sent, with the reason of its signal, and with what `fetch` rejects with.
 * @example
 * ```ts
 * import { createLimiter, perSecond } from "tollgate";
 * import { limitedFetch } from "tollgate/client";
 *
 * const limiter = createLimiter({ limits: [perSecond(5)] });
 * const answer = async () => new Response("hello"); // a stand-in: leave it out to use the network
 * const politeFetch = limitedFetch(limiter, { fetch: answer, retries: 2 });
 * console.log(await (await politeFetch("https://api.example/v1/items")).text()); // hello
 * ```
 */
export function limitedFetch(limiter: AnyLimiter, options: LimitedFetchOptions = {}): Fetch {
  checkOptions("limitedFetch", options, NAMES);
  const client = new LimitedClient(limiter, checked(options));
  return (input, init) => client.fetch(new Request(input, init));
}

type Checked = ReturnType<typeof checked>;

function checked(options: LimitedFetchOptions) {
  const { key, cost = 1, maxWait, maxBlock = AN_HOUR_MS, retries = 0, learn = false, clock = systemClock } = options;
  const { fetch = (request: Request) => globalThis.fetch(request) } = options;
  if (maxWait !== undefined && maxWait !== 0) toMicroseconds("maxWait", maxWait);
  if (!(Number.isInteger(retries) && retries >= 0 && retries <= MOST_RETRIES))
    throw optionError("retries", `a whole number from 0 to ${MOST_RETRIES}`, retries);
  checkChoice("learn", learn, [true, false]);
  checkFunction("fetch", fetch, "a function such as fetch");
  const maxBlockMs = toMicroseconds("maxBlock", maxBlock) / 1_000;
  return { key: key ?? hostOf, cost, maxWait, maxBlockMs, retries, clock, fetch: fetch as Fetch, learn };
}

function hostOf({ url }: Request): string {
  return new URL(url).host;
}

class LimitedClient {
  readonly #limiter: AnyLimiter;
  readonly #options: Checked;
  readonly #server: ServerLimits;

  constructor(limiter: AnyLimiter, options: Checked) {
    this.#limiter = limiter;
    this.#options = options;
    this.#server = new ServerLimits(options.clock);
  }

  async fetch(request: Request): Promise<Response> {
    const { key } = this.#options;
    const input = typeof key === "function" ? key(request) : key;
    const mayRepeat = IDEMPOTENT.has(request.method) || request.headers.has("idempotency-key");
    let left = mayRepeat ? this.#options.retries : 0;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
      const { response, isLimited } = await this.#send(input, request, left > 0 ? pauseMs : undefined);
      if (left === 0 || !isLimited) return response;
      left -= 1;
      await response.body?.cancel();
    }
  }

  /**
   * Sends a request, which may be repeated after a pause if one is given. Under a limit on concurrency it holds its
   * place until the head of the response is there and obeyed.
   */
  async #send(
    input: string,
    request: Request,
    pauseMs: number | undefined,
  ): Promise<{ readonly response: Response; readonly isLimited: boolean }> {
    const turn = await this.#turn(input, request);
    try {
      // A body can be sent once, so a request that may be repeated is sent as a copy.
      const response = await this.#options.fetch(pauseMs === undefined ? request : request.clone());
      const mostPauseMs = pauseMs === undefined ? undefined : Math.min(pauseMs, LONGEST_PAUSE_MS);
      return { response, isLimited: await this.#obey(input, response, mostPauseMs) };
    } finally {
      // What was taken stays taken. If its place cannot be freed now, it expires.
      await turn.settle({}).catch(() => {});
    }
  }

  async #turn(input: string, request: Request): Promise<AsyncReservation> {
    const { cost, maxWait } = this.#options;
    const options = { signal: request.signal, maxWait };
    await this.#server.wait(input, options);
    const reservation = await this.#limiter.acquire(input, typeof cost === "function" ? cost(request) : cost, options);
    if (!reservation.decision.allowed) throw new DeniedError("limitedFetch", reservation.decision);
    return reservation;
  }

  /** Blocks the key for as long as the server asks. Returns whether a retry may succeed. */
  async #obey(input: string, response: Response, pauseMs: number | undefined): Promise<boolean> {
    const { clock, learn, maxBlockMs } = this.#options;
    const { headers, status } = response;
    const nowMs = clock.now();
    const advertised = readAdvertised(headers, nowMs);
    if (learn) this.#server.learn(input, advertised);
    const isUsedUp = advertised.some(({ remaining }) => remaining === 0);
    const isLimited = RETRIED.has(status) || (status === 403 && isUsedUp);
    const askedMs = Math.max(
      readRetryAfter(headers, nowMs) ?? 0,
      ...advertised.map(({ remaining, resetMs = 0 }) => (remaining === 0 ? resetMs : 0)),
    );
    const blockMs = askedMs > 0 ? askedMs : ((isLimited ? pauseMs : undefined) ?? 0);
    if (blockMs > 0) await this.#block(input, Math.min(blockMs, maxBlockMs));
    return isLimited;
  }

  /** A shorter block must not replace a longer one, such as an operator's. */
  async #block(input: string, ms: number): Promise<void> {
    const until = this.#options.clock.now() + ms;
    // Whole microseconds, as durations are.
    const wholeMs = Math.ceil(ms * 1_000) / 1_000;
    this.#server.block(input, wholeMs);
    try {
      const blockedUntil = await this.#limiter.blockedUntil(input);
      if (blockedUntil !== undefined && blockedUntil >= until) return;
      await this.#limiter.block(input, wholeMs, { reason: "the server asked for it" });
    } catch (error) {
      // The answer is there, and this process obeys it even if the store cannot be told.
      if (!(error instanceof TollgateError && error.code === "ERR_STORE")) throw error;
    }
  }
}
