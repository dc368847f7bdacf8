import { checkFunction } from "../../core/checks.ts";
import { show, TollgateError } from "../../core/errors.ts";
import type { BreakerState } from "./failure/breaker.ts";
import type { OnFailure } from "./failure/on-failure.ts";

/** What an operator may want to hear of a store. */
export type RedisStoreObservation =
  | { readonly type: "breaker"; readonly state: BreakerState }
  | { readonly type: "bypass"; readonly bypass: boolean };

export interface RedisStoreOptions {
  /**
   * A client of ioredis, node-redis, iovalkey, @valkey/valkey-glide (alone, Cluster or Sentinel) or @upstash/redis. It stays the
   * caller's: closing the store does not close it.
   */
  readonly client: unknown;
  /** What all keys begin with: `"tg"` by default. 1 to 64 characters of ASCII without spaces, braces and `*?[]^\\`. */
  readonly prefix?: string;
  /**
   * Whose time decides. `"server"`, the default: that of Redis, the same for every node. `"client"`: that of the limiter's clock,
   * for servers that refuse `TIME` in scripts, and for tests.
   */
  readonly time?: "server" | "client";
  /** With `time: "client"`, how far the nodes' clocks may be apart: keys live so much longer. 1,000 by default. */
  readonly maxSkewMs?: number;
  /**
   * How long the server may be silent before a call is decided without it, in milliseconds: 100 by default. Time in which this process is
   * busy with something else does not count, nor does the wait behind other calls while the server answers those.
   */
  readonly timeoutMs?: number;
  /**
   * How long the first calls wait for a first answer, so that a deployment does not begin with decisions that are made without the server:
   * milliseconds from the first call on, 5,000 by default; 0: no longer than `timeoutMs`.
   */
  readonly connectTimeoutMs?: number;
  /**
   * How many calls may wait for their answer, 65,536 by default; a quarter of them for one key. Those beyond are denied, with
   * `degraded: "overloaded"`. Refunds and charges have twice that room, because they settle calls that were admitted.
   */
  readonly maxPending?: number;
  /**
   * What becomes of calls that the server cannot be asked about: `"allow"` (the default), `"deny"`, or a share of each limit, kept in a
   * store of this process. Such decisions have `degraded`.
   */
  readonly onFailure?: OnFailure;
  /** How many keys go out in one call, of those that are asked about in one turn of the event loop: 128 by default, 1 to 1,024; `false`: each call alone. */
  readonly batch?: boolean | number;
  /** How many denied keys are remembered, so that they are denied here until their time: 10,000 by default; `false`: none. */
  readonly denyCache?: boolean | number;
  /** Hears when the circuit breaker opens, probes and closes, and of the kill switch. Never ends a call: what it throws is dropped. */
  readonly observe?: (observation: RedisStoreObservation) => void;
}

/** Checked, with the defaults filled in. */
export interface CheckedRedisOptions {
  readonly prefix: string;
  readonly time: "server" | "client";
  readonly maxSkewMs: number;
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly maxPending: number;
  readonly onFailure: OnFailure;
  /** 0: none. */
  readonly batch: number;
  /** 0: none. */
  readonly denyCache: number;
  readonly observe: ((observation: RedisStoreObservation) => void) | undefined;
}

const NAMES: ReadonlySet<string> = new Set([
  "client",
  "prefix",
  "time",
  "maxSkewMs",
  "timeoutMs",
  "connectTimeoutMs",
  "maxPending",
  "onFailure",
  "batch",
  "denyCache",
  "observe",
]);

/** ASCII that is itself in patterns of `SCAN`, and no hash tag. */
const PREFIX = /^[!-Z_a-z|~]{1,64}$/;
const SPECIAL = /[*?]/;
const AN_HOUR_MS = 3_600_000;
const A_DAY_MS = 24 * AN_HOUR_MS;
const MOST_PENDING = 10_000_000;

/** @throws TollgateError `ERR_OPTION` that says what was expected and what came. */
export function checkRedisOptions(options: RedisStoreOptions): CheckedRedisOptions {
  if (typeof options !== "object" || options === null) {
    throw new TollgateError("ERR_OPTION", `redisStore: expected an object of options, got ${show(options)}`);
  }
  const unknown = Object.keys(options).find((name) => !NAMES.has(name));
  if (unknown !== undefined) {
    throw new TollgateError(
      "ERR_OPTION",
      `redisStore: expected options among ${[...NAMES].join(", ")}, got ${show(unknown)}`,
    );
  }
  const { observe, onFailure = "allow", time = "server" } = options;
  if (observe !== undefined) checkFunction("observe", observe, "a function that is given observations");
  if (time !== "server" && time !== "client") throw refusal("time", '"server" or "client"', time);
  return {
    prefix: checkPrefix(options.prefix === undefined ? "tg" : options.prefix),
    time,
    maxSkewMs: checkMs("maxSkewMs", options.maxSkewMs === undefined ? 1_000 : options.maxSkewMs, 0, A_DAY_MS),
    timeoutMs: checkMs("timeoutMs", options.timeoutMs === undefined ? 100 : options.timeoutMs, 1, AN_HOUR_MS),
    connectTimeoutMs: checkMs(
      "connectTimeoutMs",
      options.connectTimeoutMs === undefined ? 5_000 : options.connectTimeoutMs,
      0,
      AN_HOUR_MS,
    ),
    maxPending: checkPending(options.maxPending === undefined ? 65_536 : options.maxPending),
    onFailure,
    batch: checkMost("batch", options.batch, 128, 1_024),
    denyCache: checkMost("denyCache", options.denyCache, 10_000, 10_000_000),
    observe,
  };
}

function checkPrefix(prefix: unknown): string {
  if (typeof prefix === "string" && PREFIX.test(prefix) && !SPECIAL.test(prefix)) return prefix;
  throw refusal("prefix", "1 to 64 characters of ASCII without spaces, braces and *?[]^\\", prefix);
}

function checkMs(option: string, ms: unknown, least: number, most: number): number {
  if (typeof ms === "number" && Number.isSafeInteger(ms) && ms >= least && ms <= most) return ms;
  throw refusal(option, `a whole number of milliseconds from ${least} to ${most}`, ms);
}

function checkPending(value: unknown): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 1 && value <= MOST_PENDING) return value;
  throw refusal("maxPending", `a whole number of calls from 1 to ${MOST_PENDING}`, value);
}

function checkMost(option: string, value: unknown, byDefault: number, most: number): number {
  if (value === undefined || value === true) return byDefault;
  if (value === false) return 0;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 1 && value <= most) return value;
  throw refusal(option, `true, false or a number of keys from 1 to ${most}`, value);
}

function refusal(option: string, expected: string, got: unknown): TollgateError {
  return new TollgateError("ERR_OPTION", `${option}: expected ${expected}, got ${show(got)}`);
}
