import type { Cost } from "../core/cost.ts";
import type { Decision, LimitStatus } from "../core/decision.ts";
import type { BlockOptions, BlockTime } from "../limiter/block-time.ts";
import type { JointDecision } from "../limiter/deciding/joint-call.ts";
import type { Result } from "../limiter/kinds.ts";
import type { AsyncLimiter, Limiter } from "../limiter/limiter.ts";
import type { ReservationOf, ReserveOptions } from "../limiter/reserving/reservation.ts";
import type { KeyVerbs } from "../limiter/verbs.ts";
import type { LimitsFile } from "./file/limits-file.ts";
import type { RuleExplanation } from "./rules/explain-rule.ts";
import type { Facts } from "./rules/facts.ts";

/** The limiter of a domain, by the kind of its store. */
export type DomainLimiter<Kind extends "sync" | "async"> = Kind extends "sync" ? Limiter<Facts> : AsyncLimiter<Facts>;

/** A request and its cost. Without one, the file says what it costs. */
export interface RequestWithCost {
  readonly facts: Facts;
  readonly cost?: Cost | undefined;
}

/**
 * The limits of a file at work. Over a store of this process the verbs return values, over an asynchronous one
 * promises. All rules of a domain that match a request decide together: it takes from all of them or from none.
 *
 * Each verb throws `ERR_OPTION` for a domain that the file does not have, and what the same verb of a `Limiter` throws;
 * over an asynchronous store it rejects with it.
 */
export interface Limits<Kind extends "sync" | "async" = "sync"> {
  readonly kind: Kind;
  /** The domains of the file, in its order. */
  readonly domains: readonly string[];
  /** The units in which the rules of a domain count. A cost in another unit counts nothing there. */
  units(domain: string): ReadonlySet<string>;
  /**
   * The limiter of a domain, for adapters, metrics, `combine` and all else that takes a limiter: each time the same
   * one. Its input is what is known of a request, such as the `HttpFacts` of an adapter. What `update` loads decides
   * its next calls. Without a cost, the file says what a request costs.
   */
  limiter(domain: string): DomainLimiter<Kind>;
  /**
   * Takes the cost from every rule that matches if all conform, else nothing. Without a cost, the file says what a
   * request costs. Rules with `inflight` need `reserve`.
   */
  consume(domain: string, facts: Facts, cost?: Cost): Result<Kind, Decision>;
  /**
   * Takes the costs of several requests at one instant, from all of them or from none. Requests that have a rule and a
   * key in common cost there what all of them do.
   */
  consumeAll(domain: string, requests: readonly RequestWithCost[]): Result<Kind, JointDecision>;
  /** The decision that `consume` would give; changes nothing. */
  peek(domain: string, facts: Facts, cost?: Cost): Result<Kind, Decision>;
  /** Takes the cost whether or not it conforms. Units that the cost does not name cost nothing. */
  charge(domain: string, facts: Facts, cost: Cost, decision?: Decision): Result<Kind, Decision>;
  /** Gives units back. `decision` is the one that took them. A reload in between may change the rules: use `handle`. */
  refund(domain: string, facts: Facts, cost: Cost, decision?: Decision): Result<Kind, void>;
  /** Takes an estimate, and a place of every `inflight`. The reservation stays with its version of the file. */
  reserve(domain: string, facts: Facts, cost?: Cost, options?: ReserveOptions): Result<Kind, ReservationOf<Kind>>;
  /** Denies the key of every rule that matches, for a duration or until a moment. Without one it does nothing. */
  block(domain: string, facts: Facts, span: BlockTime, options?: BlockOptions): Result<Kind, void>;
  /** Ends the blocks of these keys, and says whether one was blocked. */
  unblock(domain: string, facts: Facts): Result<Kind, boolean>;
  /** Forgets the counts of these keys. Blocks stay. */
  reset(domain: string, facts: Facts): Result<Kind, void>;
  /** The rules and keys of a request, found once, in the version of the file that is loaded now. */
  handle(domain: string, facts: Facts): LimitsHandle<Kind>;
  /**
   * The key of one rule, without a request: for support and for administration. A key of several facts is a list, that
   * of a rule without `by` an empty one. Addresses, hosts and long values are counted as those of requests are.
   *
   * @throws TollgateError `ERR_OPTION` for a domain or a rule that the file does not have, `ERR_KEY` for a key that
   * does not have one text for each fact.
   */
  byKey(domain: string, rule: string, key: string | readonly string[]): KeyHandle<Kind>;
  /** Which rules count a request, by which key, and why the others do not. Nothing is counted. */
  explain(domain: string, facts: Facts): readonly RuleExplanation[];
  /**
   * Replaces the file. Keys keep their counts under limits of the same domain, rule and word. Calls and handles that
   * began before go on with the version that they began with.
   *
   * @throws LimitsFileError for a file that is wrong: the one before stays.
   */
  update(file: LimitsFile): void;
  /**
   * Works like `update`, and lets other work run in between: compiling 10,000 rules at once would block the thread for
   * some 50 ms. Until it resolves, the file before holds.
   *
   * @returns whether the file was loaded. A later update takes the place of one that is not over.
   * @throws LimitsFileError Rejects for a file that is wrong.
   */
  updateInSteps(file: LimitsFile): Promise<boolean>;
  /** Ends the store's timers, if the store was made by `createLimits`. */
  close(): Result<Kind, void>;
}

/** A request whose rules and keys are known: the verbs of `Limits` without the first two arguments. */
export interface LimitsHandle<Kind extends "sync" | "async" = "sync">
  extends Pick<KeyVerbs<Kind>, "consume" | "peek" | "charge" | "refund" | "reserve" | "block" | "unblock" | "reset"> {
  /** The rules that count the request. */
  readonly rules: readonly string[];
}

/** The key of a rule. */
export interface KeyHandle<Kind extends "sync" | "async" = "sync">
  extends Pick<KeyVerbs<Kind>, "block" | "unblock" | "blockedUntil" | "reset"> {
  /**
   * The state of each limit of the key. Of a rule with `plans` or `keys`, those limits under which something is
   * counted: which of them hold is known with a request. `cost` is 1 by default.
   */
  explain(cost?: Cost): Result<Kind, LimitStatus[]>;
}
