import type { AsyncBlocks } from "../../core/blocks.ts";
import { optionError } from "../../core/check-options.ts";
import { checkFunction } from "../../core/checks.ts";
import { TollgateError } from "../../core/errors.ts";
import { lostError } from "../../core/lost-call.ts";
import type { Maybe } from "../../core/maybe-async.ts";
import { createPlan, type Plan, type Scope } from "../../core/plan.ts";
import type { Report } from "../../core/report.ts";
import type { AsyncSpace, AsyncStore, Call, LimiterContext, OnFailure } from "../../core/store.ts";
import type { StoreObservation } from "../../core/store-observation.ts";
import type { StoreReadings } from "../../core/store-readings.ts";
import type { Taken } from "../../core/taken.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { Verb } from "../../core/verbs.ts";
import { Notifier } from "../remote/notifier.ts";
import { UnavailableError } from "../remote/unavailable-error.ts";
import { decideWithout, Fallbacks } from "../remote/without-server.ts";
import type { Operation, Result } from "./messages.ts";
import { OwnedBlocks, OwnedSpace } from "./owned-space.ts";
import type { DecideWithout, SpaceVerb } from "./questions.ts";

/** The options of every store whose counts are with an owner. */
interface OwnedStoreOptions {
  readonly onFailure?: OnFailure;
  readonly observe?: (observation: StoreObservation) => void;
  readonly warnings?: boolean;
}

/** The way to the owners of the counts. */
export interface OwnerLink {
  readonly isUp: boolean;
  /** Why the owners of these calls are not asked; `undefined` if they are. */
  refusal(call: SpaceVerb): UnavailableError | undefined;
  /** `without` decides if an owner does not. */
  apply(call: SpaceVerb, without: DecideWithout): Promise<Report>;
  /** Rejects with an UnavailableError if an owner does not answer. */
  administer(space: OwnedSpace, operation: Operation): Promise<Result>;
  close(): Promise<void>;
}

/** What the messages of a store call its parts. */
interface Names {
  readonly label: string;
  /** The function that makes it. */
  readonly maker: string;
  readonly owner: string;
  readonly askers: string;
  /** Which spaces have the same keys, by a value for each. */
  readonly keysOf?: (plan: Plan) => string;
}

/** A store whose counts are with their owners, which do what this store's messages ask. */
export class OwnedStore implements AsyncStore {
  readonly kind = "async";
  readonly label: string;
  readonly #names: Names;
  readonly #fallbacks: Fallbacks;
  readonly #notifier: Notifier;
  readonly #link: OwnerLink;
  #spaces = 0;
  #closing: Promise<void> | undefined;

  /** @throws TollgateError `ERR_OPTION`. */
  constructor(
    names: Names,
    { onFailure = "allow", observe, warnings = true }: OwnedStoreOptions,
    connect: (notify: (observation: StoreObservation) => void) => OwnerLink,
  ) {
    if (observe !== undefined) checkFunction("observe", observe, "a function that is given observations");
    if (typeof warnings !== "boolean") throw optionError("warnings", "true or false", warnings);
    this.label = names.label;
    this.#names = names;
    this.#fallbacks = new Fallbacks(onFailure);
    this.#notifier = new Notifier(names.maker, { observe, warnings });
    this.#link = connect((observation) => this.#notifier.notify(observation));
  }

  observe(observer: (observation: StoreObservation) => void): () => void {
    return this.#notifier.add(observer);
  }

  readings(): StoreReadings {
    return { breaker: this.#link.isUp ? "closed" : "open" };
  }

  open(plan: Plan, context: LimiterContext): OwnedSpace {
    this.#checkScope(plan.scope);
    this.#notifier.opened(context);
    return this.#space(plan, context, this.#fallbacks.open(plan, context));
  }

  blocks(scope: Scope, limiter: string, context: LimiterContext): AsyncBlocks {
    this.#checkScope(scope);
    return new OwnedBlocks(limiter, this.#space(createPlan(scope, limiter, []), context, "deny"), this.#administer);
  }

  /** Reports at once where no owner is asked, because a flood has many calls at a time. */
  transact(verb: Verb, calls: readonly Call<AsyncSpace>[], now: TimeCell, taken?: readonly Taken[]): Maybe<Report> {
    this.#checkOpen();
    const nowUs = now[0]!;
    const own = calls as readonly Call<OwnedSpace>[];
    const call = { verb, calls: own, nowUs, toldUs: own[0]!.space.timeOf(nowUs), taken };
    // A degraded decision is corrected where it was counted, even if the owner is back.
    const degraded = taken?.[0]?.degraded;
    if (degraded !== undefined) return this.#without(new UnavailableError(degraded), call);
    const refusal = this.#link.refusal(call);
    return refusal === undefined ? this.#link.apply(call, this.#without) : this.#without(refusal, call);
  }

  readonly #without: DecideWithout = (error, { verb, calls, nowUs, taken }) =>
    decideWithout(error, verb, calls, nowUs, taken, this.#notifier);

  close(): Promise<void> {
    this.#closing ??= this.#link.close();
    return this.#closing;
  }

  #space(plan: Plan, context: LimiterContext, fallback: OwnedSpace["fallback"]): OwnedSpace {
    this.#spaces += 1;
    return new OwnedSpace(plan, context, fallback, this.#spaces, this.#administer, this.#names.keysOf?.(plan));
  }

  readonly #administer = async (space: OwnedSpace, operation: Operation): Promise<Result> => {
    this.#checkOpen();
    try {
      return await this.#link.administer(space, operation);
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      throw lostError(error, `${this.#names.maker}: ${this.#names.owner}`);
    }
  };

  /** @throws TollgateError `ERR_STORE` after `close`. */
  #checkOpen(): void {
    if (this.#closing === undefined) return;
    throw new TollgateError(
      "ERR_STORE",
      `${this.#names.maker}: expected a store that is open, got a call after close()`,
    );
  }

  /** @throws TollgateError `ERR_NAME` for a limiter without a name. */
  #checkScope(scope: Scope): void {
    if (typeof scope === "string") return;
    throw new TollgateError(
      "ERR_NAME",
      `name: expected a name, by which all ${this.#names.askers} know the limiter, got undefined`,
    );
  }
}
