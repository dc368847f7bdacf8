/// <reference lib="esnext.disposable" preserve="true" />

import type { Cost } from "../core/cost.ts";
import type { Key } from "../core/key.ts";
import type { Limit } from "../core/limits/limit.ts";
import type { Observer } from "../core/observer.ts";
import type { Kind, Result } from "./kinds.ts";
import type { WorkOptions } from "./outgoing-work.ts";
import type { KeyVerbs, WithInput } from "./verbs.ts";
import type { RunOptions } from "./waiting/wait-options.ts";
import type { ObserveOptions } from "./watching/watch.ts";

/** What limiters over stores of either kind have. */
export interface LimiterOf<K extends Kind, Input> extends WithInput<Input, KeyVerbs<K>> {
  readonly kind: K;
  readonly name: string;
  /**
   * Decides a batch as `allow` would, one input after another. It writes 1 for an admitted input and 0 for a denied one
   * into `out`, a `Uint8Array` that is at least as long.
   *
   * @returns how many were admitted.
   * @throws TollgateError as `allow`, and `ERR_OPTION` for an `out` that does not fit; and what the key function
   *   throws. Then nothing has been counted.
   */
  readonly allowMany: (inputs: readonly Input[], out: Uint8Array, cost?: Cost) => Result<K, number>;
  /**
   * Looks a key and its limits up once, for a connection or a session. Calls of a handle skip the key function, the
   * choice of limits and the hashing. A handle stays valid if the key is dropped meanwhile. It needs no release. If a
   * function that looks up rejects, every call of the handle does.
   */
  readonly handle: (input: Input) => HandleOf<K>;
  /**
   * Every verb for a key that is known already, without the input that the key function needs. Where a function chooses
   * the limits, pass those of the key as `limits`. Without them `explain` lists the limits under which the key counts,
   * `reset` forgets it under all of them, and the other verbs throw. Only limits that this limiter has met are found:
   * over an `AsyncStore` at least the last 500. While a limiter with a name has met none, `reset` throws `ERR_LIMITS`.
   *
   * @throws TollgateError `ERR_KEY`; `ERR_COMBINE` for a combination, whose limiters can be asked one by one;
   *   `ERR_OPTION` for `limits` that are fixed; `ERR_LIMITS` as `createLimiter`.
   * @example
   * ```ts
   * import { createLimiter, perMinute } from "tollgate";
   *
   * type Call = { user: string; route: string };
   * const limiter = createLimiter({ key: (call: Call) => [call.user, call.route], limits: [perMinute(2)] });
   * limiter.allow({ user: "ann", route: "/report" }, 2);
   *
   * const known = limiter.byKey(["ann", "/report"]);
   * console.log(known.peek().allowed, known.explain()[0]?.used); // false 2
   * known.reset();
   * console.log(known.peek().allowed); // true
   * ```
   */
  readonly byKey: (key: Key, limits?: readonly Limit[]) => HandleOf<K>;
  /**
   * Waits for a turn, as `wait` does, and then does one piece of work. The work begins at the decision that takes its
   * units, before any other code runs; over a store elsewhere when the answer comes. A place under a limit on
   * concurrency is held until the work has ended.
   *
   * @throws TollgateError Rejects with what `wait` rejects with, and with what `work` throws.
   * @example
   * ```ts
   * import { createLimiter, perSecond } from "tollgate";
   *
   * const limiter = createLimiter({ limits: [perSecond(10)] });
   * const { signal } = new AbortController();
   * console.log(await limiter.run("api", async () => "hello", { signal, maxWait: "5s" })); // hello
   * ```
   */
  readonly run: <Result>(
    input: Input,
    work: () => Result | PromiseLike<Result>,
    options?: RunOptions,
  ) => Promise<Result>;
  /**
   * A function that waits for its turn before each call of `work`, and returns a promise of the result. The work begins
   * as in `run`. `input` and `cost` are values, or functions of the arguments.
   *
   * @throws TollgateError `ERR_OPTION`. The function rejects with a `DeniedError` in place of a call that is denied,
   *   with what `wait` rejects with, and with what `work` throws.
   * @example
   * ```ts
   * import { createLimiter, perSecond } from "tollgate";
   *
   * const limiter = createLimiter({ limits: [perSecond(10)] });
   * const greet = limiter.wrap(async (user: string) => `hello ${user}`, { input: (user) => user });
   * console.log(await greet("ann")); // hello ann
   * ```
   */
  readonly wrap: <This, Args extends readonly unknown[], Result>(
    work: (this: This, ...args: Args) => Result | PromiseLike<Result>,
    options: WorkOptions<Input, Args>,
  ) => (this: This, ...args: Args) => Promise<Result>;
  /**
   * The items of an iterable, each when it is its turn. The next item is asked for when the one before was taken.
   *
   * @throws TollgateError `ERR_OPTION`. The iteration throws a `DeniedError` at an item that is denied, and what `wait`
   *   rejects with.
   * @example
   * ```ts
   * import { createLimiter, perSecond } from "tollgate";
   *
   * const limiter = createLimiter({ limits: [perSecond(10)] });
   * const pages: string[] = [];
   * for await (const page of limiter.pace(["/a", "/b"], { input: "crawler" })) pages.push(page);
   * console.log(pages.join(" ")); // /a /b
   * ```
   */
  readonly pace: <Item>(
    items: AsyncIterable<Item> | Iterable<Item>,
    options: WorkOptions<Input, [item: Item]>,
  ) => AsyncGenerator<Item, void, void>;
  /**
   * Adds an observer while the limiter runs, and returns a function that removes it. A combination's observer is
   * notified of the combination's calls; a limiter's observer also of the calls of combinations that it is part of.
   *
   * @throws TollgateError `ERR_OPTION`.
   * @example
   * ```ts
   * import { createLimiter, perMinute } from "tollgate";
   *
   * const limiter = createLimiter({ limits: [perMinute(1)] });
   * const denied: string[] = [];
   * const stop = limiter.observe((observation) => {
   *   if (observation.type === "decision" && !observation.decision.allowed) denied.push(...observation.keys);
   * });
   * for (const user of ["ann", "ann", "bob"]) limiter.allow(user);
   * stop();
   * console.log(limiter.allow("bob"), denied); // false [ 'ann' ]
   * ```
   */
  readonly observe: (observer: Observer, options?: ObserveOptions) => () => void;
  /** Forgets the counts of all keys. Blocks stay, unless `blocks` is true. */
  readonly clear: (options?: ClearOptions) => Result<K, void>;
  /**
   * The keys that are blocked now, with the reasons that `block` was given.
   *
   * @throws TollgateError `ERR_STORE` for a store that cannot list them.
   */
  readonly blocked: () => Result<K, BlockedKey[]>;
  /** Drops the idle keys, and says how many. No key gains or loses units. */
  readonly sweep: () => Result<K, number>;
  /**
   * Ends waits, with `ERR_CLOSED`, and notifications of changes; the limiter goes on deciding. The store's own `close`
   * stops the store's timer.
   */
  readonly close: () => Result<K, void>;
}

/** What `clear` forgets beside counts. */
export interface ClearOptions {
  /** Whether blocks end, and offences are forgotten. */
  readonly blocks?: boolean;
}

/** A key that is blocked. */
export interface BlockedKey {
  /** Set for a domain: the limiter of the rule that has the key. */
  readonly limiter?: string;
  /** The key as text: a tuple as `["ann","/login",42]`. */
  readonly key: string;
  /** Milliseconds until the block ends. */
  readonly endsInMs: number;
  /** What `block` was given. */
  readonly reason?: string;
}

/**
 * Decides at once, over a store in this process. Made by `createLimiter` and `combine`. Call its verbs as methods:
 * `keys.filter((key) => limiter.allow(key))`, not `keys.filter(limiter.allow)`.
 */
export interface Limiter<Input = string> extends LimiterOf<"sync", Input> {
  /** How many keys are kept, with idle ones. A key under several limits that are chosen per call counts for each. */
  readonly size: number;
  [Symbol.dispose](): void;
}

/**
 * The verbs of `Limiter` over an asynchronous store, or over any store with a key or limits that are looked up. Misuse
 * rejects with the errors that `Limiter` throws, and so does a call whose look-up rejects: it counts nothing.
 */
export interface AsyncLimiter<Input = string> extends LimiterOf<"async", Input> {
  /**
   * Works like `allow`, but answers at once by what this process knows: `true` if the cost was taken, `false` if it is
   * denied. `undefined` if the store has to be asked, and then nothing was taken: ask `allow`. Only a `hybridStore`
   * knows anything, of fixed limits without a look-up, and while no observer is notified of the limiter's calls.
   *
   * Throws as `allow` rejects: `ERR_KEY` or `ERR_COST`.
   *
   * @example
   * ```ts
   * import { Redis } from "ioredis";
   * import { createLimiter, perMinute } from "tollgate";
   * import { hybridStore } from "tollgate/hybrid";
   *
   * const client = new Redis(process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379");
   * const store = hybridStore({ client });
   * const limiter = createLimiter({ name: "local", limits: [perMinute(100_000)], store });
   * for (let call = 0; call < 10; call += 1) await limiter.allow("ann");
   * console.log(limiter.allowLocal("bob"), limiter.allowLocal("ann")); // undefined true
   * await store.close();
   * await client.quit();
   * ```
   */
  readonly allowLocal: (input: Input, cost?: Cost) => boolean | undefined;
  readonly size: () => Promise<number>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A key and its limits, looked up once. Made by a limiter's `handle` and `byKey`. */
export interface Handle extends KeyVerbs<"sync"> {
  /** As the limiter's `run` for that key. */
  run<Result>(work: () => Result | PromiseLike<Result>, options?: RunOptions): Promise<Result>;
}

/** A handle of an `AsyncLimiter`. */
export interface AsyncHandle extends KeyVerbs<"async"> {
  /** As the limiter's `run` for that key. */
  run<Result>(work: () => Result | PromiseLike<Result>, options?: RunOptions): Promise<Result>;
}

type HandleOf<K extends Kind> = K extends "sync" ? Handle : AsyncHandle;
