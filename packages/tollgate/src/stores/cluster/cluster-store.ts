import type { AsyncBlocks } from "../../core/blocks.ts";
import { checkOptions, checkWholeNumber, optionError } from "../../core/check-options.ts";
import { checkFunction } from "../../core/checks.ts";
import type { Duration } from "../../core/duration.ts";
import { checkDuration } from "../../core/duration-option.ts";
import { TollgateError } from "../../core/errors.ts";
import type { Maybe } from "../../core/maybe-async.ts";
import { createPlan, type Plan, type Scope } from "../../core/plan.ts";
import type { Report } from "../../core/report.ts";
import type { AsyncSpace, AsyncStore, Call, LimiterContext, OnFailure } from "../../core/store.ts";
import type { StoreObservation } from "../../core/store-observation.ts";
import type { StoreReadings } from "../../core/store-readings.ts";
import type { Taken } from "../../core/taken.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import { VERBS, type Verb } from "../../core/verbs.ts";
import { Notifier } from "../remote/notifier.ts";
import { serverUnavailable, UnavailableError } from "../remote/unavailable-error.ts";
import { decideWithout, Fallbacks } from "../remote/without-server.ts";
import { ClusterBlocks, ClusterSpace, type SpaceStore } from "./cluster-space.ts";
import { decodeReport, MOST_RESETS } from "./encode.ts";
import type { KeyCall, Operation, ReportWords, Result } from "./messages.ts";
import { PrimaryLink, type Send, type WorkerChannel } from "./primary-link.ts";
import { type Asked, Asking, Taking } from "./questions.ts";
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

const NAMES: Readonly<Record<keyof ClusterStoreOptions, true>> = {
  onFailure: true,
  timeout: true,
  connectTimeout: true,
  maxPending: true,
  name: true,
  observe: true,
  warnings: true,
  channel: true,
};
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
  checkOptions("clusterStore", options, NAMES);
  return new ClusterStore(options);
}

class ClusterStore implements AsyncStore, SpaceStore {
  readonly kind = "async";
  readonly label = "cluster";
  readonly #fallbacks: Fallbacks;
  readonly #notifier: Notifier;
  readonly #link: PrimaryLink;
  #spaces = 0;
  #closing: Promise<void> | undefined;

  constructor(options: ClusterStoreOptions) {
    const { onFailure = "allow", timeout = "100ms", connectTimeout = "1s", maxPending = 65_536 } = options;
    const { observe, warnings = true } = options;
    if (observe !== undefined) checkFunction("observe", observe, "a function that is given observations");
    if (typeof warnings !== "boolean") throw optionError("warnings", "true or false", warnings);
    this.#fallbacks = new Fallbacks(onFailure);
    this.#notifier = new Notifier("clusterStore", { observe, warnings });
    this.#link = new PrimaryLink({
      timeoutMs: checkDuration("timeout", timeout, 1, AN_HOUR_MS),
      connectTimeoutMs: checkDuration("connectTimeout", connectTimeout, 0, AN_HOUR_MS),
      maxPending: checkWholeNumber("maxPending", maxPending, 1, MOST_PENDING),
      topic: topicOf(options.name),
      notify: (observation) => this.#notifier.notify(observation),
      channel: checkChannel(options.channel ?? (globalThis as { readonly process?: unknown }).process),
    });
  }

  observe(observer: (observation: StoreObservation) => void): () => void {
    return this.#notifier.add(observer);
  }

  readings(): StoreReadings {
    return { breaker: this.#link.isUp ? "closed" : "open" };
  }

  open(plan: Plan, context: LimiterContext): ClusterSpace {
    checkScope(plan.scope);
    this.#notifier.opened(context);
    return new ClusterSpace(plan, context, this.#fallbacks.open(plan, context), this);
  }

  blocks(scope: Scope, limiter: string, context: LimiterContext): AsyncBlocks {
    checkScope(scope);
    return new ClusterBlocks(limiter, new ClusterSpace(createPlan(scope, limiter, []), context, "deny", this), this);
  }

  nextNumber(): number {
    this.#spaces += 1;
    return this.#spaces;
  }

  /** Reports at once where the primary is not asked, because a flood has many calls at a time. */
  transact(verb: Verb, calls: readonly Call<AsyncSpace>[], now: TimeCell, taken?: readonly Taken[]): Maybe<Report> {
    this.#checkOpen();
    const nowUs = now[0]!;
    const own = calls as readonly Call<ClusterSpace>[];
    const without = (error: UnavailableError): Report => decideWithout(error, verb, own, nowUs, taken, this.#notifier);
    // A degraded decision is corrected where it was counted, even if the primary is back.
    const degraded = taken?.[0]?.degraded;
    if (degraded !== undefined) return without(new UnavailableError(degraded));
    const refusal = this.#link.refusal(VERBS[verb].refunds);
    if (refusal !== undefined) return without(refusal);
    const [first] = own as readonly [Call<ClusterSpace>];
    if (own.length === 1 && VERBS[verb] === VERBS.take && !first.space.hasOwnClock) {
      return new Promise((resolve, reject) => this.#link.ask(new Taking(first, { resolve, reject, without })));
    }
    const toldUs = first.space.timeOf(nowUs);
    return this.#ask({
      spaces: own.map(({ space }) => space),
      givesBack: VERBS[verb].refunds,
      length: own.reduce((sum, call) => sum + call.key.length, 0),
      operation: (primary) => {
        const words = own.map((call, i) => wordsOf(call, taken?.[i], primary));
        return ["apply", first.space.number, toldUs, verb, words];
      },
      read: (result, answer) => decodeReport(result as ReportWords, toldUs ?? answer.nowUs, answer.primary),
      without,
    });
  }

  async administer(space: ClusterSpace, operation: Operation): Promise<Result> {
    this.#checkOpen();
    const refusal = this.#link.refusal(false);
    if (refusal !== undefined) throwUnavailable(refusal);
    const read = (result: Result): Result => result;
    const given = { spaces: [space], givesBack: false, length: 0, operation: () => operation };
    return this.#ask({ ...given, read, without: throwUnavailable });
  }

  release(operation: Operation): void {
    if (this.#closing !== undefined || this.#link.refusal(false) !== undefined) return;
    const given = { spaces: [], givesBack: false, length: 0, operation: () => operation };
    void this.#ask({ ...given, read: ignore, without: ignore });
  }

  #ask<T>(asked: Asked<T>): Promise<T> {
    const { without } = asked;
    return new Promise((resolve, reject) => this.#link.ask(new Asking(asked, { resolve, reject, without })));
  }

  close(): Promise<void> {
    this.#closing ??= this.#link.close();
    return this.#closing;
  }

  /** @throws TollgateError `ERR_STORE` after `close`. */
  #checkOpen(): void {
    if (this.#closing === undefined) return;
    throw new TollgateError("ERR_STORE", "clusterStore: expected a store that is open, got a call after close()");
  }
}

function wordsOf({ space, key, costs }: Call<ClusterSpace>, taken: Taken | undefined, primary: number): KeyCall {
  if (taken === undefined) return [space.number, key, costs];
  const { where, resets, untilUs } = taken;
  const own = Number.isFinite(resets) ? resets - primary * MOST_RESETS : null;
  // What another primary has given out has left, as far as this one knows.
  const isForeign = own !== null && !(own >= 0 && own < MOST_RESETS);
  return [space.number, key, costs, [where, own, isForeign ? untilUs.map(() => 0) : untilUs]];
}

/** @throws TollgateError `ERR_STORE` if the primary did not answer. */
function throwUnavailable(error: UnavailableError): never {
  throw serverUnavailable(error, "clusterStore: the primary");
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

/** @throws TollgateError `ERR_NAME` for a limiter without a name. */
function checkScope(scope: Scope): void {
  if (typeof scope === "string") return;
  throw new TollgateError("ERR_NAME", "name: expected a name, by which all workers know the limiter, got undefined");
}

function ignore(): void {}
