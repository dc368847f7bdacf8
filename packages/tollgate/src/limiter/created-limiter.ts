import type { Key } from "../core/key.ts";
import type { AsyncStore, SyncStore } from "../core/store.ts";
import type { ChosenLimits } from "./choosing/limits-choice.ts";
import type { AsyncLimiter, Limiter } from "./limiter.ts";
import type { LimiterOptions } from "./options.ts";
import type { WithoutInput } from "./verbs.ts";

// One signature instead of overloads, so that a compile error names the option that is wrong. The compiler infers
// `Input` from the parameter of the key or limits function, `Found` and `Chosen` from what they return.

/** A key, at once or later. */
export type MaybeKey = Key | PromiseLike<Key>;
/** Limits, at once or later. */
export type MaybeLimits = ChosenLimits | PromiseLike<ChosenLimits>;

/** The options of `createLimiter`, except its store. */
export interface CreateOptions<Input, Found extends MaybeKey, Chosen extends MaybeLimits>
  extends LimiterOptions<InputOf<Input, Found>, Chosen> {
  /**
   * The partition whose quota a call uses. The limiter's input type is this function's parameter. Without `key` the
   * input is the key. A function that returns a promise makes an `AsyncLimiter`.
   */
  readonly key?: (input: Input) => Found;
}

/** The store's part of the options. Two types, because an optional property would lose a possible `undefined`. */
export type StoreOption<Store> = WithStore<Store> | WithoutStore;

interface WithStore<Store> {
  /** A memory store of the limiter's own by default. */
  readonly store: Store;
}

interface WithoutStore {
  readonly store?: never;
}

/** Marks the limiter as asynchronous. */
export type AsyncOption<Async> = { readonly async?: Async };

/** What the other options require. It comes before the store, because TypeScript 5 and 6 report one part only. */
export type Requirements<Input, Found, Chosen> = ([InputOf<Input, Found>] extends [Key] ? unknown : InputIsNoKey) &
  (true extends IsMixed<Found, MaybeKey> | IsMixed<Chosen, MaybeLimits> ? ReturnsPromisesSometimes : unknown);

/** Without a key function the input is the key, but this input is not a key. */
interface InputIsNoKey {
  readonly key: unknown;
}

/** A function that returns a promise for some inputs alone cannot be recognised by its form. */
interface ReturnsPromisesSometimes {
  readonly async: unknown;
}

/** The limiter's input: the key where there is no key function, so that nothing tells what the input is. */
type InputOf<Input, Found> = [Key] extends [Found] ? KeyIfUnknown<Input> : Input;

type KeyIfUnknown<Input> = IsAny<Input> extends true ? Input : unknown extends Input ? Key : Input;

/** What `createLimiter` returns. */
export type CreatedLimiter<Input, Found, Chosen, Store, Async> = true extends
  | Async
  | ReturnsPromise<Found>
  | ReturnsPromise<Chosen>
  ? InputMayLack<"async", AsyncLimiter<InputOf<Input, Found>>, InputOf<Input, Found>>
  : LimiterOver<Store, InputOf<Input, Found>>;

/** If the key function takes no input, there is one bucket for all, and calls need no input. */
type InputMayLack<K extends "sync" | "async", Made, Input> =
  IsAny<Input> extends true ? Made : unknown extends Input ? Made & WithoutInput<K> : Made;

/** Distributes: a store that may be of either kind gives a limiter that may be of either kind. */
type LimiterOver<Store, Input> = Store extends AsyncStore
  ? InputMayLack<"async", AsyncLimiter<Input>, Input>
  : InputMayLack<"sync", Limiter<Input>, Input>;

/** Any kind of store, or none. */
export type MaybeStore = SyncStore | AsyncStore | undefined;

type IsAny<T> = 0 extends 1 & T ? true : false;
type ReturnsPromise<T> =
  IsAny<T> extends true ? false : [Extract<T, PromiseLike<unknown>>] extends [never] ? false : true;
/** Not for all that a function may return: the compiler infers this from a function that returns something else. */
type IsMixed<T, All> =
  ReturnsPromise<T> extends true
    ? [T] extends [PromiseLike<unknown>]
      ? false
      : [All] extends [T]
        ? false
        : true
    : false;
