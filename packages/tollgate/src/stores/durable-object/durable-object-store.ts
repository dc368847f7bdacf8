import type { AsyncBlocks } from "../../core/blocks.ts";
import { checkOptions, optionError } from "../../core/check-options.ts";
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
import type { Verb } from "../../core/verbs.ts";
import { ClusterBlocks, ClusterSpace, type SpaceStore } from "../cluster/cluster-space.ts";
import { decodeReport } from "../cluster/encode.ts";
import type { KeyCall, Operation, ReportWords, Result } from "../cluster/messages.ts";
import { Notifier } from "../remote/notifier.ts";
import { CIRCUIT_OPEN, serverUnavailable, UnavailableError } from "../remote/unavailable-error.ts";
import { decideWithout, Fallbacks } from "../remote/without-server.ts";
import { ObjectLink } from "./object-link.ts";
import type { LimitsObjectNamespace } from "./object-types.ts";
import { spaceName } from "./row-space.ts";
import { type AskObject, applyToObjects, type ObjectPart, partsOf } from "./several-objects.ts";
import { Sharding, type Shards } from "./sharding.ts";

export interface DurableObjectStoreOptions {
  /** The binding of the class that `rateLimitObject` made, such as `env.LIMITS`. */
  readonly namespace: LimitsObjectNamespace;
  /**
   * Which object counts a key: one of so many, chosen by a hash (16 by default, at most 65,536); with `"key"` one of
   * its own; with a function the one that it names. Counts begin anew when this changes.
   */
  readonly shards?: Shards;
  /**
   * How calls are decided while an object does not answer: `"allow"` (the default), `"deny"`, or by a fraction of each
   * limit, counted in a store of this isolate. Such decisions have `degraded`. `"throw"` rejects with `ERR_STORE`.
   */
  readonly onFailure?: OnFailure;
  /** How long a call waits for its object, which may be on another continent: `"1s"` by default, at most an hour. */
  readonly timeout?: Duration;
  /** Is notified when an object stops answering, and when it answers again. */
  readonly observe?: (observation: StoreObservation) => void;
  /** With `false` the store does not warn of decisions without an object that no observer is told of. */
  readonly warnings?: boolean;
}

const NAMES: Readonly<Record<keyof DurableObjectStoreOptions, true>> = {
  namespace: true,
  shards: true,
  onFailure: true,
  timeout: true,
  observe: true,
  warnings: true,
};
const HINTS = { "": "write durableObjectStore({ namespace: env.LIMITS })", deadline: 'it is called "timeout" here' };
const AN_HOUR_MS = 3_600_000;

/**
 * Creates a store that counts in Durable Objects of Cloudflare, whose class `rateLimitObject` makes. The calls of one
 * turn for one object are one message. While an object does not answer, `onFailure` decides within `timeout`, and the
 * decision has `degraded`.
 *
 * @throws TollgateError `ERR_OPTION` or `ERR_DURATION`, with the expected and the actual value.
 * @example
 * ```js
 * import { env } from "cloudflare:workers";
 * import { createLimiter, perMinute } from "tollgate";
 * import { durableObjectStore } from "tollgate/durable-object";
 *
 * const store = durableObjectStore({ namespace: env.LIMITS, onFailure: "deny" });
 * const limiter = createLimiter({ name: "login", limits: [perMinute(5)], store });
 * ```
 */
export function durableObjectStore(options: DurableObjectStoreOptions): AsyncStore {
  checkOptions("durableObjectStore", options, NAMES, HINTS);
  return new DurableObjectStore(options);
}

class DurableObjectStore implements AsyncStore, SpaceStore {
  readonly kind = "async";
  readonly label = "durable-object";
  readonly #sharding: Sharding;
  readonly #fallbacks: Fallbacks;
  readonly #notifier: Notifier;
  readonly #link: ObjectLink;
  #spaces = 0;
  #isClosed = false;

  constructor({
    namespace,
    shards = 16,
    onFailure = "allow",
    timeout = "1s",
    observe,
    ...rest
  }: DurableObjectStoreOptions) {
    const { warnings = true } = rest;
    if (typeof namespace?.idFromName !== "function" || typeof namespace.get !== "function")
      throw optionError("namespace", "a binding of Durable Objects, such as env.LIMITS", namespace);
    if (observe !== undefined) checkFunction("observe", observe, "a function that is given observations");
    if (typeof warnings !== "boolean") throw optionError("warnings", "true or false", warnings);
    this.#sharding = new Sharding(shards);
    this.#fallbacks = new Fallbacks(onFailure);
    this.#notifier = new Notifier("durableObjectStore", { observe, warnings });
    this.#link = new ObjectLink({
      namespace,
      timeoutMs: checkDuration("timeout", timeout, 1, AN_HOUR_MS),
      notify: (observation) => this.#notifier.notify(observation),
    });
  }

  observe(observer: (observation: StoreObservation) => void): () => void {
    return this.#notifier.add(observer);
  }

  readings(): StoreReadings {
    return { breaker: this.#link.circuits.isSomeOpen ? "open" : "closed" };
  }

  open(plan: Plan, context: LimiterContext): ClusterSpace {
    checkScope(plan.scope);
    this.#notifier.opened(context);
    return new ObjectSpace(plan, context, this.#fallbacks.open(plan, context), this);
  }

  blocks(scope: Scope, limiter: string, context: LimiterContext): AsyncBlocks {
    checkScope(scope);
    return new ClusterBlocks(limiter, new ClusterSpace(createPlan(scope, limiter, []), context, "deny", this), this);
  }

  nextNumber(): number {
    this.#spaces += 1;
    return this.#spaces;
  }

  /** Reports at once where no object is asked, because a flood has many calls at a time. */
  transact(verb: Verb, calls: readonly Call<AsyncSpace>[], now: TimeCell, taken?: readonly Taken[]): Maybe<Report> {
    this.#checkOpen();
    const nowUs = now[0]!;
    const own = calls as readonly Call<ClusterSpace>[];
    const without = (error: UnavailableError): Report => decideWithout(error, verb, own, nowUs, taken, this.#notifier);
    // A degraded decision is corrected where it was counted, even if the object is back.
    const degraded = taken?.[0]?.degraded;
    if (degraded !== undefined) return without(new UnavailableError(degraded));
    const parts = partsOf(own, this.#sharding.nameOf);
    if (parts.some(({ name }) => this.#link.circuits.refuses(name))) return without(CIRCUIT_OPEN);
    const [{ name }] = parts as readonly [ObjectPart];
    const ask = this.#askAt(nowUs);
    const report = parts.length === 1 ? ask(verb, name, own, taken) : applyToObjects(verb, parts, ask, taken);
    return report.catch((error: unknown) => {
      if (error instanceof UnavailableError) return without(error);
      throw error;
    });
  }

  async administer(space: ClusterSpace, operation: Operation): Promise<Result> {
    this.#checkOpen();
    // Operations on all keys have none.
    const [, , , key] = operation;
    const names = key === undefined ? this.#sharding.allNames(operation[0]) : [this.#sharding.nameOf(key)];
    const results = names.map((name) => this.#link.ask(name, { spaces: [space], operation }));
    const answers = await Promise.all(results).catch(throwUnavailable);
    if (key !== undefined) return answers[0]!.result;
    return answers.reduce((sum, { result }) => sum + (result as number), 0);
  }

  /** Objects forget plans by themselves. */
  release(): void {}

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  #askAt(nowUs: number): AskObject {
    return async (verb, name, calls, taken) => {
      const [{ space }] = calls as readonly [Call<ClusterSpace>];
      const toldUs = space.timeOf(nowUs);
      const words = calls.map((call, i) => wordsOf(call, taken?.[i]));
      const answer = await this.#link.ask(name, {
        spaces: calls.map((call) => call.space),
        operation: ["apply", space.number, toldUs, verb, words],
      });
      return decodeReport(answer.result as ReportWords, toldUs ?? answer.nowUs, 0);
    };
  }

  /** @throws TollgateError `ERR_STORE` after `close`. */
  #checkOpen(): void {
    if (!this.#isClosed) return;
    throw new TollgateError("ERR_STORE", "durableObjectStore: expected a store that is open, got a call after close()");
  }
}

/** A list's keys in all objects. Lists that may carry over have their rows in common. */
class ObjectSpace extends ClusterSpace {
  get keysOf(): string {
    return spaceName(this.plan);
  }
}

function wordsOf({ space, key, costs }: Call<ClusterSpace>, taken: Taken | undefined): KeyCall {
  if (taken === undefined) return [space.number, key, costs];
  const { where, resets, untilUs } = taken;
  return [space.number, key, costs, [where, Number.isFinite(resets) ? resets : null, untilUs]];
}

/** @throws TollgateError `ERR_STORE` if an object did not answer. */
function throwUnavailable(error: unknown): never {
  if (!(error instanceof UnavailableError)) throw error;
  throw serverUnavailable(error, "durableObjectStore: an object");
}

/** @throws TollgateError `ERR_NAME` for a limiter without a name. */
function checkScope(scope: Scope): void {
  if (typeof scope === "string") return;
  throw new TollgateError("ERR_NAME", "name: expected a name, by which all isolates know the limiter, got undefined");
}
