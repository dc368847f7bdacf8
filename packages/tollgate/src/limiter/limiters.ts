import type { Cost } from "../core/cost.ts";
import { later, type Maybe } from "../core/maybe-async.ts";
import type { Observer } from "../core/observer.ts";
import { allowLocal, allowMany, blockedKeys, clearAll, sizeOfAll, sweepAll } from "./administration.ts";
import type { AsyncLimiter, BlockedKey, ClearOptions, Limiter } from "./limiter.ts";
import { callMethod, detachedError, forwardMethods, guardMethods } from "./methods.ts";
import { paceItems, type WorkOptions, wrapWork } from "./outgoing-work.ts";
import { type LimiterParts, StoreLimiter } from "./store-limiter.ts";
import type { ObserveOptions } from "./watching/watch.ts";

/** The limiter as users have it. What a verb for one key does is in `KeyHandle`. */
abstract class UserLimiter<Input> extends StoreLimiter<Input> {
  static {
    guardMethods(UserLimiter.prototype, "limiter");
  }

  observe(observer: Observer, options?: ObserveOptions): () => void {
    return this.watch.add(observer, options);
  }

  wrap<This, Args extends readonly unknown[], Result>(
    work: (this: This, ...args: Args) => Result | PromiseLike<Result>,
    options: WorkOptions<Input, Args>,
  ): (this: This, ...args: Args) => Promise<Result> {
    return wrapWork(this as unknown as AsyncLimiter<Input>, work, options);
  }

  pace<Item>(
    items: AsyncIterable<Item> | Iterable<Item>,
    options: WorkOptions<Input, [item: Item]>,
  ): AsyncGenerator<Item, void, void> {
    return paceItems(this as unknown as AsyncLimiter<Input>, items, options);
  }
}

/** Over a store elsewhere, what these return is a promise. */
class LocalLimiter<Input> extends UserLimiter<Input> {
  static {
    guardMethods(LocalLimiter.prototype, "limiter");
  }

  allowMany(inputs: readonly Input[], out: Uint8Array, cost?: Cost): Maybe<number> {
    return allowMany(this, inputs, out, cost);
  }

  clear(options?: ClearOptions): Maybe<void> {
    return clearAll(this, options);
  }

  blocked(): BlockedKey[] {
    return blockedKeys(this);
  }

  sweep(): Maybe<number> {
    return sweepAll(this);
  }

  get size(): number {
    return sizeOfAll(this) as number;
  }

  close(): void {
    this.end();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** Makes promises of what `LocalLimiter` returns or throws. */
class RemoteLimiter<Input> extends UserLimiter<Input> {
  static {
    guardMethods(RemoteLimiter.prototype, "limiter");
    forwardMethods(RemoteLimiter.prototype, LocalLimiter.prototype, "limiter", (limiter: object, verb, args) =>
      later(() => callMethod(LocalLimiter.prototype, verb, args, limiter)),
    );
  }

  allowLocal(this: RemoteLimiter<Input> | undefined, input: Input, cost?: Cost): boolean | undefined {
    if (this === undefined) throw detachedError("limiter", "allowLocal");
    return allowLocal(this, input, cost);
  }

  size(): Promise<number> {
    return later(() => sizeOfAll(this));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end();
  }
}

/** The limiter of these parts. `forwardVerbs` gives it the verbs for one key, which the compiler does not see. */
export function limiterOf<Input>(
  parts: LimiterParts<Input>,
): StoreLimiter<Input> & (Limiter<Input> | AsyncLimiter<Input>) {
  const made: unknown = parts.kind === "sync" ? new LocalLimiter(parts) : new RemoteLimiter(parts);
  return Object.freeze(made) as StoreLimiter<Input> & (Limiter<Input> | AsyncLimiter<Input>);
}
