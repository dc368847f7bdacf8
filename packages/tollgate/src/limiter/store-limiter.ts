import { readInto } from "../core/clock.ts";
import { type Cost, checkCost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import { encodeKey, type Key, TUPLE_MARK_UNIT } from "../core/key.ts";
import type { Limit } from "../core/limits/limit.ts";
import { later, type Maybe, mapMaybeAsync } from "../core/maybe-async.ts";
import type { TimeCell } from "../core/time-cell.ts";
import { RouteJoiner } from "./choosing/route.ts";
import { Selected } from "./choosing/selected.ts";
import type { Selection } from "./choosing/selection.ts";
import type { Source } from "./choosing/space.ts";
import { AsyncAsker } from "./deciding/async-asker.ts";
import { Decider, type DeciderParts } from "./deciding/decider.ts";
import { MessageWay } from "./deciding/message-way.ts";
import { QuickWay } from "./deciding/quick-way.ts";
import { readAllowed, readDecision } from "./deciding/read.ts";
import { KeyHandle } from "./key-handle.ts";
import { callLater, LATER_VERBS, LaterHandle } from "./key-verbs.ts";
import type { Kind } from "./kinds.ts";
import type { BlockedKey } from "./limiter.ts";
import { markLimiters } from "./limiter-mark.ts";
import { callMethod, detachedError, forwardMethods, guardMethods } from "./methods.ts";

/** The limiters of a domain's rules. */
export interface Members {
  /** Whether a rule of the version that is loaded may count places. */
  readonly mayTakePlaces: boolean;
  /** Passes a call on. Throws what the verb throws. */
  send(verb: "allow" | "consume", input: unknown, cost: Cost | undefined): Maybe<boolean | Decision>;
  limiterOf(limit: string): string;
  /** Whether the version of the file that is loaded has the limiter. */
  hasLimiter(name: string): boolean;
  /** The blocked keys of all rules, whether or not calls have needed them. */
  blocked(now: TimeCell): BlockedKey[];
}

/** What a limiter is made of. Functions, look-ups, combinations and domains are selections that it is given. */
export interface LimiterParts<Input> extends DeciderParts {
  /** Whether there is a key function: adapters need one. */
  readonly keyed: boolean;
  readonly selection: Selection<Input>;
  /** Where its cells are: those of its owners, unless rules come and go. */
  readonly sources?: readonly Source[];
  /** Set for a domain: the limiters of its rules are not measured apart. */
  readonly members?: Members | undefined;
  /** Ends waits and notifications. */
  readonly end: () => void;
}

/**
 * The one limiter, over any store. Every verb goes the same way: choose keys and limits, check the cost, ask the store,
 * tell the watchers, and make the result. `KeyHandle` has the verbs; with fixed limits `allow` and `consume` have short
 * ways.
 */
export class StoreLimiter<Input> extends Decider {
  readonly keyed: boolean;
  readonly selection: Selection<Input>;
  readonly members: Members | undefined;
  readonly sources: readonly Source[];
  /** Whether a call may take places. If a function chooses the limits, that is known when it has chosen. */
  readonly mayTakePlaces: boolean;
  /** The short way of `allow` and `consume` over a store in this process. */
  readonly quick: QuickWay<Input> | undefined;
  /** The same over a store elsewhere. */
  readonly message: MessageWay<Input> | undefined;
  readonly joiner: RouteJoiner = new RouteJoiner();
  readonly end: () => void;

  constructor(parts: LimiterParts<Input>) {
    super(parts);
    const { fixed } = parts.selection;
    this.keyed = parts.keyed;
    this.selection = parts.selection;
    this.members = parts.members;
    this.sources = parts.sources ?? parts.selection.owners.map(({ source }) => source);
    this.end = parts.end;
    this.mayTakePlaces = fixed?.route.takesPlaces ?? true;
    const { asker } = parts;
    this.quick = fixed !== undefined && asker.kind === "sync" ? QuickWay.of(fixed, this) : undefined;
    const hasMessageWay = fixed?.route.isPlain === true && asker instanceof AsyncAsker;
    this.message = hasMessageWay ? new MessageWay(fixed, this, asker.store) : undefined;
  }

  static {
    markLimiters(StoreLimiter.prototype);
    guardMethods(StoreLimiter.prototype, "limiter");
    const call = (limiter: StoreLimiter<unknown>, verb: string, [input, ...args]: readonly unknown[]) =>
      limiter.call(verb, input, args);
    forwardMethods(StoreLimiter.prototype, KeyHandle.prototype, "limiter", call);
  }

  allow(this: StoreLimiter<Input> | undefined, input: Input, cost?: Cost): Maybe<boolean> {
    if (this === undefined) throw detachedError("limiter", "allow");
    const { quick } = this;
    if (quick === undefined || !(cost === undefined || typeof cost === "number") || !quick.route.isOpen())
      return this.#send("allow", input, cost) as Maybe<boolean>;
    const given = quick.key(input);
    // `encodeKey` is apart, so that this function stays small enough to inline.
    const key = typeof given === "string" && given.charCodeAt(0) !== TUPLE_MARK_UNIT ? given : encodeKey(given);
    if (cost !== undefined) checkCost(cost);
    readInto(this.clock, this.now);
    return quick.space.allow(key, cost ?? 1, this.now);
  }

  consume(this: StoreLimiter<Input> | undefined, input: Input, cost?: Cost): Maybe<Decision> {
    if (this === undefined) throw detachedError("limiter", "consume");
    const { quick, message } = this;
    if (cost === undefined || typeof cost === "number") {
      if (quick?.route.isOpen() === true) return quick.consume(encodeKey(quick.key(input)), cost ?? 1);
      if (message?.route.isOpen() === true) return message.consume(input, cost ?? 1);
    }
    return this.#send("consume", input, cost) as Maybe<Decision>;
  }

  #send(verb: "allow" | "consume", input: Input, cost: Cost | undefined): unknown {
    const { quick, message, members } = this;
    if (members !== undefined) {
      if (this.kind === "sync") return members.send(verb, input, cost);
      return later<boolean | Decision>(() => members.send(verb, input, cost));
    }
    if (cost === undefined || typeof cost === "number") {
      if (quick?.route.isFree() === true)
        return quick.watched<unknown>(verb, input, cost ?? 1, verb === "allow" ? readAllowed : readDecision);
      if (message?.route.isOpen() === true) return message[verb](input, cost ?? 1);
    }
    return this.call(verb, input, [cost]);
  }

  /** Calls a verb of the handle for an input. Look-ups come first, and errors of an asynchronous limiter reject. */
  call(verb: string, input: Input, args: readonly unknown[]): unknown {
    if (this.kind === "sync" && !LATER_VERBS.includes(verb)) return callMethod(this.#handle(input), verb, args);
    return callLater(() => this.#handle(input), verb, args);
  }

  /** A look-up is made at once. */
  handle(input: Input): KeyHandle | LaterHandle {
    if (this.kind === "sync") return this.#kept(this.#handle(input) as KeyHandle);
    return new LaterHandle(mapMaybeAsync(this.#handle(input), (handle) => this.#kept(handle)));
  }

  byKey(key: Key, limits?: readonly Limit[]): KeyHandle | LaterHandle {
    return this.handleOn((into) => this.selection.selectKey(key, limits, into));
  }

  /** A handle for one call on keys that are selected apart. */
  handleOnce(select: (into: Selected) => void): KeyHandle {
    const selected = new Selected();
    this.beginTiming(selected);
    select(selected);
    return new KeyHandle(this, selected.finish(this.joiner));
  }

  /** A handle for keys that are selected apart. */
  handleOn(select: (into: Selected) => void): KeyHandle | LaterHandle {
    const selected = new Selected();
    select(selected);
    const handle = this.#kept(new KeyHandle(this, selected.finish(this.joiner)));
    return this.kind === "sync" ? handle : new LaterHandle(handle);
  }

  #kept({ selected }: KeyHandle): KeyHandle {
    const own = selected.kept();
    const { only, isPlain, current } = own.route;
    const isFixed = only !== undefined && isPlain && current === undefined;
    return new KeyHandle(this, own, isFixed && "keyRef" in only ? only.keyRef?.(own.keys[0]!) : undefined);
  }

  #handle(input: Input): Maybe<KeyHandle> {
    const selected = new Selected();
    this.beginTiming(selected);
    const selecting = this.selection.select(input, selected);
    const finish = () => new KeyHandle(this, selected.finish(this.joiner));
    return selecting === undefined ? finish() : selecting.then(finish);
  }

  /** What logs write of a limiter by accident: its other properties refer to each other. */
  toJSON(): { readonly name: string; readonly kind: Kind } {
    return { name: this.name, kind: this.kind };
  }
}
