import type { Clock } from "../core/clock.ts";
import type { Cost } from "../core/cost.ts";
import type { Decision, LimitStatus } from "../core/decision.ts";
import { TollgateError } from "../core/errors.ts";
import type { Observer } from "../core/observer.ts";
import type { AsyncHandle, AsyncLimiter } from "./async-limiter.ts";
import type { BlockOptions, BlockSpan } from "./block-span.ts";
import { checkBatch } from "./check-arguments.ts";
import { type CombineDeciding, CombinedRouter, type PartOf } from "./combined-router.ts";
import type { TakingPlaces } from "./for-adapters.ts";
import type { Result } from "./handle.ts";
import type { Handle, Limiter } from "./limiter.ts";
import { markLimiters } from "./limiter-mark.ts";
import type { ObservedParts } from "./observed-parts.ts";
import type { ObserveOptions, Observers } from "./observers.ts";
import { OutgoingWork } from "./outgoing-work.ts";
import { promised } from "./promised.ts";
import type { AcquireOptions, AsyncReservation, ReservationOf, ReserveOptions } from "./reservation.ts";
import { batchesOf } from "./routed-batch.ts";
import { RoutedHandle, takenBy } from "./routed-handle.ts";
import type { Router } from "./router.ts";
import type { Source } from "./selection.ts";
import type { WaitOptions } from "./wait-options.ts";

/** A limiter that chooses one of many for each call, such as that of the rules which count a request. */
abstract class RoutedLimiter<Kind extends "sync" | "async", Input, Found>
  extends OutgoingWork<Input>
  implements TakingPlaces<Input>, ObservedParts
{
  abstract readonly kind: Kind;
  readonly name: string;
  readonly keyed = true;
  readonly mayTakePlaces = true;
  /** The router says what a call costs. */
  override readonly defaultCost: undefined = undefined;
  readonly clock: Clock;
  readonly sources: readonly Source[];
  readonly observers: Observers;
  readonly selection = { fixed: undefined };
  readonly router: Router<Kind, Input, Found>;
  readonly limiterOf: ObservedParts["limiterOf"];

  constructor(router: Router<Kind, Input, Found>) {
    super();
    this.name = router.name;
    this.clock = router.clock;
    this.sources = router.sources;
    this.observers = router.observers;
    this.router = router;
    this.limiterOf = router.limiterOf === undefined ? undefined : (limit) => router.limiterOf?.(limit) ?? router.name;
  }

  static {
    markLimiters(RoutedLimiter.prototype);
  }

  get lines(): ObservedParts["lines"] {
    return this.router.usedLimiters().flatMap(({ lines }) => lines);
  }

  protected abstract call<T>(work: () => Result<Kind, T>): Result<Kind, T>;

  allow(input: Input, cost?: Cost): Result<Kind, boolean> {
    return this.call(() => {
      const found = this.router.read(input);
      const route = this.router.routeOf(found);
      return route.limiter.allow(found, route.cost.of(found, cost));
    });
  }

  consume(input: Input, cost?: Cost): Result<Kind, Decision> {
    return this.call(() => {
      const found = this.router.read(input);
      const route = this.router.routeOf(found);
      return route.limiter.consume(found, route.cost.of(found, cost));
    });
  }

  peek(input: Input, cost?: Cost): Result<Kind, Decision> {
    return this.call(() => {
      const found = this.router.read(input);
      const route = this.router.routeOf(found);
      return route.limiter.peek(found, route.cost.of(found, cost));
    });
  }

  consumeOrReserve(input: Input, cost?: Cost): Result<Kind, Decision | ReservationOf<Kind>> {
    return this.call(() => {
      const found = this.router.read(input);
      const route = this.router.routeOf(found);
      return takenBy(route.cost, route.limiter.consumeOrReserve(found, route.cost.of(found, cost)));
    });
  }

  explain(input: Input, cost?: Cost): Result<Kind, LimitStatus[]> {
    return this.call(() => this.#handle(input).explain(cost));
  }

  charge(input: Input, cost: Cost, decision?: Decision): Result<Kind, Decision> {
    return this.call(() => this.#handle(input).charge(cost, decision));
  }

  refund(input: Input, cost: Cost, decision?: Decision): Result<Kind, void> {
    return this.call(() => this.#handle(input).refund(cost, decision));
  }

  wait(input: Input, cost?: Cost, options?: WaitOptions): Promise<Decision> {
    return promised(() => this.#handle(input).wait(cost, options));
  }

  override acquire(input: Input, cost?: Cost, options?: AcquireOptions): Promise<AsyncReservation> {
    return promised(() => this.#handle(input).acquire(cost, options));
  }

  reserve(input: Input, cost?: Cost, options?: ReserveOptions): Result<Kind, ReservationOf<Kind>> {
    return this.call(() => this.#handle(input).reserve(cost, options));
  }

  reset(input: Input): Result<Kind, void> {
    return this.call(() => this.#handle(input).reset());
  }

  block(input: Input, span: BlockSpan, options?: BlockOptions): Result<Kind, void> {
    return this.call(() => this.#handle(input).block(span, options));
  }

  unblock(input: Input): Result<Kind, boolean> {
    return this.call(() => this.#handle(input).unblock());
  }

  blockedUntil(input: Input): Result<Kind, number | undefined> {
    return this.call(() => this.#handle(input).blockedUntil());
  }

  byKey(): never {
    throw new TollgateError(
      "ERR_COMBINE",
      `byKey: expected a limiter with one key, got ${JSON.stringify(this.name)}, whose rules have their own; ` +
        "ask byKey(domain, rule, key) of the limits",
    );
  }

  observe(observer: Observer, options?: ObserveOptions): () => void {
    return this.observers.add(observer, options);
  }

  /** Combines this limiter with others. `combine` makes the combination of those that calls need. */
  abstract combinedWith(
    members: readonly PartOf<Kind>[],
    inputOf: (input: never, index: number) => never,
    combine: CombineDeciding,
  ): SyncRoutedLimiter<never, unknown> | AsyncRoutedLimiter<never, unknown>;

  /** As the `toJSON` of `StoreLimiter`. */
  toJSON(): Pick<this, "name" | "kind"> {
    return { name: this.name, kind: this.kind };
  }

  protected routed(input: Input): RoutedHandle<Kind, Found> {
    return this.#handle(input);
  }

  #handle(input: Input): RoutedHandle<Kind, Found> {
    const found = this.router.read(input);
    return new RoutedHandle<Kind, Found>(this.router.routeOf(found), found);
  }
}

export class SyncRoutedLimiter<Input, Found> extends RoutedLimiter<"sync", Input, Found> implements Limiter<Input> {
  readonly kind = "sync";

  constructor(router: Router<"sync", Input, Found>) {
    super(router);
    Object.freeze(this);
  }

  protected override call<T>(work: () => T): T {
    return work();
  }

  allowMany(inputs: readonly Input[], out: Uint8Array, cost?: Cost): number {
    checkBatch(inputs, out, cost ?? 1);
    let admitted = 0;
    for (const { from, limiter, found, costs } of batchesOf(this.router, inputs, cost))
      admitted += limiter.allowMany(found, out.subarray(from), costs);
    return admitted;
  }

  handle(input: Input): Handle {
    return this.routed(input);
  }

  override combinedWith(
    members: readonly PartOf<"sync">[],
    inputOf: (input: never, index: number) => never,
    combine: CombineDeciding,
  ): SyncRoutedLimiter<never, unknown> {
    return new SyncRoutedLimiter(new CombinedRouter("sync", members, inputOf, combine));
  }

  clear(): void {
    for (const limiter of this.router.limiters()) limiter.clear();
  }

  sweep(): number {
    return this.router.limiters().reduce((sum, limiter) => sum + limiter.sweep(), 0);
  }

  get size(): number {
    return this.router.limiters().reduce((sum, limiter) => sum + (limiter as unknown as Limiter).size, 0);
  }

  close(): void {
    for (const limiter of this.router.usedLimiters()) limiter.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

export class AsyncRoutedLimiter<Input, Found>
  extends RoutedLimiter<"async", Input, Found>
  implements AsyncLimiter<Input>
{
  readonly kind = "async";

  constructor(router: Router<"async", Input, Found>) {
    super(router);
    Object.freeze(this);
  }

  protected override call<T>(work: () => Promise<T>): Promise<T> {
    return promised(work);
  }

  allowLocal(input: Input, cost?: Cost): boolean | undefined {
    const found = this.router.read(input);
    const route = this.router.routeOf(found);
    return route.limiter.allowLocal?.(found, route.cost.of(found, cost));
  }

  async allowMany(inputs: readonly Input[], out: Uint8Array, cost?: Cost): Promise<number> {
    checkBatch(inputs, out, cost ?? 1);
    let admitted = 0;
    for (const { from, limiter, found, costs } of batchesOf(this.router, inputs, cost))
      admitted += await limiter.allowMany(found, out.subarray(from), costs);
    return admitted;
  }

  handle(input: Input): AsyncHandle {
    return this.routed(input);
  }

  override combinedWith(
    members: readonly PartOf<"async">[],
    inputOf: (input: never, index: number) => never,
    combine: CombineDeciding,
  ): AsyncRoutedLimiter<never, unknown> {
    return new AsyncRoutedLimiter(new CombinedRouter("async", members, inputOf, combine));
  }

  async clear(): Promise<void> {
    await Promise.all(this.router.limiters().map((limiter) => limiter.clear()));
  }

  async sweep(): Promise<number> {
    return total(await Promise.all(this.router.limiters().map((limiter) => limiter.sweep())));
  }

  async size(): Promise<number> {
    const limiters = this.router.limiters() as readonly unknown[] as readonly AsyncLimiter[];
    return total(await Promise.all(limiters.map((limiter) => limiter.size())));
  }

  async close(): Promise<void> {
    await Promise.all(this.router.usedLimiters().map((limiter) => limiter.close()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
