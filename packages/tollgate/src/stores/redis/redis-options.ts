import { checkOptions, type OptionHints, type OptionNames, optionError } from "../../core/check-options.ts";
import { checkFunction } from "../../core/checks.ts";
import type { Duration } from "../../core/duration.ts";
import { checkDuration } from "../../core/duration-option.ts";
import { TollgateError } from "../../core/errors.ts";
import type { OnFailure } from "../../core/store.ts";
import type { StoreObservation } from "../../core/store-observation.ts";
import type { StoreClient } from "./clients/store-client.ts";
import { isByLimitersClock } from "./limiters-clock.ts";

export interface RedisStoreOptions {
  /**
   * A client of ioredis, iovalkey, redis (connected), @valkey/valkey-glide or @upstash/redis: alone, Cluster or
   * Sentinel. The application owns it: closing the store does not close the client.
   */
  readonly client: StoreClient;
  /** The prefix of all keys: `"tg"` by default. 1 to 64 characters of ASCII without spaces, braces and `*?[]^\\`. */
  readonly prefix?: string;
  /**
   * How long a call waits for the server before it is decided without it: `"100ms"` by default, at most an hour. The
   * timeout does not run while the event loop is blocked, nor while the call is queued and the server answers others.
   */
  readonly timeout?: Duration;
  /**
   * How long the first calls wait for the first reply, so that a deployment does not start with degraded decisions.
   * Counted from the first call: `"5s"` by default, at most an hour. With 0 they wait for `timeout`.
   */
  readonly connectTimeout?: Duration;
  /**
   * The most pending calls: 65,536 by default, a quarter of them for one key. Further calls are denied, with
   * `degraded: "overloaded"`. For refunds and charges the maximum is twice as high, because they settle admitted calls.
   */
  readonly maxPending?: number;
  /**
   * How calls are decided while the server is unavailable: `"allow"` (the default), `"deny"`, or by a fraction of each
   * limit, counted in a store of this process. Such decisions have `degraded`. With `"throw"` calls reject with
   * `ERR_STORE`, whose cause is the client's error.
   */
  readonly onFailure?: OnFailure;
  /**
   * The most keys in one script call, which has the calls of one turn of the event loop: 128 by default, 1 to 1,024.
   * With `false` each call is sent alone.
   */
  readonly batch?: boolean | number;
  /**
   * The most denied keys in the cache, which denies them without a round trip: 10,000 by default. `false` turns it
   * off.
   */
  readonly denyCache?: boolean | number;
  /**
   * Is notified when the server goes down and comes back, of probes in between, and when `bypass` changes. An error
   * that it throws fails no call: the first one is reported on stderr.
   */
  readonly observe?: (observation: StoreObservation) => void;
  /**
   * With `false` the store does not warn on stderr. By default it warns once in a process about decisions without the
   * server that no observer is notified of, and about an `observe` that throws.
   */
  readonly warnings?: boolean;
}

/** Checked options with defaults. */
export interface CheckedRedisOptions {
  readonly prefix: string;
  readonly byLimitersClock: boolean;
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly maxPending: number;
  readonly onFailure: OnFailure;
  /** 0: off. */
  readonly batch: number;
  /** 0: off. */
  readonly denyCache: number;
  readonly observe: ((observation: StoreObservation) => void) | undefined;
  readonly warnings: boolean;
}

const NAMES: Readonly<Record<keyof RedisStoreOptions, true>> = {
  client: true,
  prefix: true,
  timeout: true,
  connectTimeout: true,
  maxPending: true,
  onFailure: true,
  batch: true,
  denyCache: true,
  observe: true,
  warnings: true,
};

const CALLED_CLIENT = 'it is called "client" here';
const OF_A_CLIENT = "create a client from it: { client: new Redis(address) }";
/** What other stores call these options, and options of clients. */
const HINTS: OptionHints = {
  "": "write { client }",
  connection: CALLED_CLIENT,
  expiry: "leave it out: keys expire with their counts",
  host: OF_A_CLIENT,
  insuranceLimiter: "write onFailure: { fallback: memoryStore(), share: 0.5 }",
  keyPrefix: 'it is called "prefix" here',
  port: OF_A_CLIENT,
  redis: CALLED_CLIENT,
  redisClient: CALLED_CLIENT,
  sendCommand: "write client: { sendCommand }",
  socket: OF_A_CLIENT,
  storeClient: CALLED_CLIENT,
  ttl: "leave it out: keys expire with their counts",
  url: OF_A_CLIENT,
};

/** A method of each client. Minifiers change the names of classes. */
const METHODS = ["eval", "customCommand"];

/**
 * Checks that these are options of `redisStore`, or `others` beside them.
 *
 * @throws TollgateError `ERR_OPTION`, naming `owner`.
 */
export function checkStoreOptions(owner: string, options: unknown, others?: OptionNames): void {
  refuseClient(owner, options);
  checkOptions(owner, options, others === undefined ? NAMES : { ...NAMES, ...others }, HINTS);
}

/** @throws TollgateError `ERR_OPTION`, naming `owner`, for a client or an address in place of options. */
function refuseClient(owner: string, options: unknown): void {
  const isAddress = typeof options === "string" || options instanceof URL;
  const isClient = METHODS.some((name) => typeof (options as ByName | undefined)?.[name] === "function");
  if (!(isAddress || isClient)) return;
  // Addresses are not shown: they may have passwords.
  const [got, client] = isAddress ? ["an address", "client: new Redis(address)"] : ["a client", "client"];
  throw new TollgateError("ERR_OPTION", `${owner}: expected options, got ${got}; write ${owner}({ ${client} })`);
}

type ByName = Readonly<Record<string, unknown>>;

/** ASCII without hash tags and without the special characters of `SCAN` patterns. */
const PREFIX = /^[!-Z_a-z|~]{1,64}$/;
const SPECIAL = /[*?]/;
const AN_HOUR_MS = 3_600_000;
const MOST_PENDING = 10_000_000;

/** @throws TollgateError `ERR_OPTION` that says what was expected and what came. */
export function checkRedisOptions(options: RedisStoreOptions): CheckedRedisOptions {
  checkStoreOptions("redisStore", options);
  const { observe, onFailure = "allow", warnings = true } = options;
  if (observe !== undefined) checkFunction("observe", observe, "a function that is given observations");
  if (typeof warnings !== "boolean") throw optionError("warnings", "true or false", warnings);
  return {
    prefix: checkPrefix(options.prefix === undefined ? "tg" : options.prefix),
    byLimitersClock: isByLimitersClock(options),
    timeoutMs: checkDuration("timeout", options.timeout === undefined ? "100ms" : options.timeout, 1, AN_HOUR_MS),
    connectTimeoutMs: checkDuration(
      "connectTimeout",
      options.connectTimeout === undefined ? "5s" : options.connectTimeout,
      0,
      AN_HOUR_MS,
    ),
    maxPending: checkPending(options.maxPending === undefined ? 65_536 : options.maxPending),
    onFailure,
    batch: checkMost("batch", options.batch, 128, 1_024),
    denyCache: checkMost("denyCache", options.denyCache, 10_000, 10_000_000),
    observe,
    warnings,
  };
}

function checkPrefix(prefix: unknown): string {
  if (typeof prefix === "string" && PREFIX.test(prefix) && !SPECIAL.test(prefix)) return prefix;
  throw optionError("prefix", "1 to 64 characters of ASCII without spaces, braces and *?[]^\\", prefix);
}

function checkPending(value: unknown): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 1 && value <= MOST_PENDING) return value;
  throw optionError("maxPending", `a whole number of calls from 1 to ${MOST_PENDING}`, value);
}

function checkMost(option: string, value: unknown, byDefault: number, most: number): number {
  if (value === undefined || value === true) return byDefault;
  if (value === false) return 0;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 1 && value <= most) return value;
  throw optionError(option, `true, false or a number of keys from 1 to ${most}`, value);
}
