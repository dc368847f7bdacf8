import { checkOptions, checkWholeNumber } from "../../core/check-options.ts";
import type { Duration } from "../../core/duration.ts";
import { checkDuration } from "../../core/duration-option.ts";
import { TollgateError } from "../../core/errors.ts";
import type { AsyncStore, OnFailure } from "../../core/store.ts";
import type { StoreObservation } from "../../core/store-observation.ts";
import { OwnedStore } from "../owned/owned-store.ts";
import { PrimaryLink, type Send, type WorkerChannel } from "./primary-link.ts";
import { topicOf } from "./serve-workers.ts";

export interface ClusterStoreOptions {
  /**
   * How calls are decided while the primary does not answer: `"allow"` (the default), `"deny"`, or by a fraction of
   * each limit, counted in a store of this process. Such decisions have `degraded`.
   */
  readonly onFailure?: OnFailure;
  /** How long a call waits for the primary: `"100ms"` by default, at most an hour. */
  readonly timeout?: Duration;
  /**
   * How long the first calls wait for the first answer, so that a worker may start before its primary is ready: `"1s"`
   * by default, at most an hour. With 0 they wait for `timeout`.
   */
  readonly connectTimeout?: Duration;
  /**
   * The most pending calls: 65,536 by default. Further calls are denied, with `degraded: "overloaded"`. For refunds the
   * maximum is twice as high.
   */
  readonly maxPending?: number;
  /** The name that `serveWorkers` gave the store, if the primary has several. */
  readonly name?: string;
  /** Is notified when the primary stops answering, and when it answers again. */
  readonly observe?: (observation: StoreObservation) => void;
  /** With `false` the store does not warn on stderr of decisions without the primary that no observer is told of. */
  readonly warnings?: boolean;
  /** What the worker sends its messages by: its global `process`, unless set. */
  readonly channel?: WorkerChannel;
}

const OPTIONS: Readonly<Record<keyof ClusterStoreOptions, true>> = {
  onFailure: true,
  timeout: true,
  connectTimeout: true,
  maxPending: true,
  name: true,
  observe: true,
  warnings: true,
  channel: true,
};
const NAMES = { label: "cluster", maker: "clusterStore", owner: "the primary", askers: "workers" };
const AN_HOUR_MS = 3_600_000;
const MOST_PENDING = 10_000_000;

/**
 * Creates the store of a worker of `node:cluster`: its calls are counted in the store that the primary has given to
 * `serveWorkers`. The calls of one turn of the event loop are one message. While the primary does not answer,
 * `onFailure` decides within `timeout`, and the decision has `degraded`.
 *
 * @throws TollgateError `ERR_OPTION`, `ERR_DURATION` or `ERR_NAME`, with the expected and the actual value.
 * @example
 * ```ts
 * import cluster from "node:cluster";
 * import { createLimiter, perMinute } from "tollgate";
 * import { clusterStore } from "tollgate/cluster";
 *
 * if (cluster.isWorker) {
 *   const store = clusterStore({ onFailure: "deny" });
 *   const limiter = createLimiter({ name: "login", limits: [perMinute(5)], store });
 *   if (!(await limiter.allow("ann"))) console.error("too many logins");
 * }
 * ```
 */
export function clusterStore(options: ClusterStoreOptions = {}): AsyncStore {
  checkOptions("clusterStore", options, OPTIONS);
  const { timeout = "100ms", connectTimeout = "1s", maxPending = 65_536, name, channel } = options;
  const linkOptions = {
    timeoutMs: checkDuration("timeout", timeout, 1, AN_HOUR_MS),
    connectTimeoutMs: checkDuration("connectTimeout", connectTimeout, 0, AN_HOUR_MS),
    maxPending: checkWholeNumber("maxPending", maxPending, 1, MOST_PENDING),
    topic: topicOf(name),
    channel: checkChannel(channel ?? (globalThis as { readonly process?: unknown }).process),
  };
  return new OwnedStore(NAMES, options, (notify) => new PrimaryLink({ ...linkOptions, notify }));
}

/** @throws TollgateError `ERR_OPTION`. */
function checkChannel(channel: unknown): WorkerChannel & { readonly send: Send } {
  const own = channel as (WorkerChannel & { readonly send: Send }) | undefined;
  if (typeof own?.send === "function" && typeof own.on === "function") return own;
  throw new TollgateError(
    "ERR_OPTION",
    "clusterStore: expected a worker, which has process.send, got a process without it; " +
      "in the primary, pass the store of serveWorkers to limiters",
  );
}
