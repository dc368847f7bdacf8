import type { Cost } from "../core/cost.ts";
import { later } from "../core/maybe-async.ts";
import type { Observer } from "../core/observer.ts";
import { allowLocal, allowMany, blockedKeys, clearAll, sizeOfAll, sweepAll } from "./administration.ts";
import { detachedError, guardMethods } from "./detached.ts";
import type { AsyncLimiter, BlockedKey, ClearOptions, Limiter } from "./limiter.ts";
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

class LocalLimiter<Input> extends UserLimiter<Input> {
  static {
    guardMethods(LocalLimiter.prototype, "limiter");
  }

  allowMany(inputs: readonly Input[], out: Uint8Array, cost?: Cost): number {
    return allowMany(this, inputs, out, cost) as number;
  }

  clear(options?: ClearOptions): void {
    void clearAll(this, options);
  }

  blocked(): BlockedKey[] {
    return blockedKeys(this);
  }

  sweep(): number {
    return sweepAll(this) as number;
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

class RemoteLimiter<Input> extends UserLimiter<Input> {
  static {
    guardMethods(RemoteLimiter.prototype, "limiter");
  }

  allowLocal(this: RemoteLimiter<Input> | undefined, input: Input, cost?: Cost): boolean | undefined {
    if (this === undefined) throw detachedError("limiter", "allowLocal");
    return allowLocal(this, input, cost);
  }

  allowMany(inputs: readonly Input[], out: Uint8Array, cost?: Cost): Promise<number> {
    return later(() => allowMany(this, inputs, out, cost));
  }

  clear(options?: ClearOptions): Promise<void> {
    return later(() => clearAll(this, options));
  }

  blocked(): Promise<BlockedKey[]> {
    return later(() => blockedKeys(this));
  }

  sweep(): Promise<number> {
    return later(() => sweepAll(this));
  }

  size(): Promise<number> {
    return later(() => sizeOfAll(this));
  }

  async close(): Promise<void> {
    this.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** The limiter of these parts. `forwardVerbs` gives it the verbs for one key, which the compiler does not see. */
export function limiterOf<Input>(
  parts: LimiterParts<Input>,
): StoreLimiter<Input> & (Limiter<Input> | AsyncLimiter<Input>) {
  const made: unknown = parts.kind === "sync" ? new LocalLimiter(parts) : new RemoteLimiter(parts);
  return Object.freeze(made) as StoreLimiter<Input> & (Limiter<Input> | AsyncLimiter<Input>);
}
