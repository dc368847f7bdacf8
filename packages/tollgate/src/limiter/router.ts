import type { Clock } from "../core/clock.ts";
import type { Cost } from "../core/cost.ts";
import type { Decision, LimitStatus } from "../core/decision.ts";
import type { BlockOptions, BlockSpan } from "./block-span.ts";
import type { Result } from "./handle.ts";
import type { Lines } from "./lines.ts";
import type { Observers } from "./observers.ts";
import type { AcquireOptions, AsyncReservation, ReservationOf, ReserveOptions } from "./reservation.ts";
import type { Selection, Source } from "./selection.ts";
import type { PlannedSpace } from "./space-list.ts";
import type { WaitOptions } from "./wait-options.ts";

type Kinds = "sync" | "async";

/** The verbs of a handle, whatever its store. */
export interface HandleVerbs<Kind extends Kinds> {
  allow(cost?: Cost): Result<Kind, boolean>;
  consume(cost?: Cost): Result<Kind, Decision>;
  peek(cost?: Cost): Result<Kind, Decision>;
  explain(cost?: Cost): Result<Kind, LimitStatus[]>;
  charge(cost: Cost, decision?: Decision): Result<Kind, Decision>;
  refund(cost: Cost, decision?: Decision): Result<Kind, void>;
  wait(cost?: Cost, options?: WaitOptions): Promise<Decision>;
  acquire(cost?: Cost, options?: AcquireOptions): Promise<AsyncReservation>;
  reserve(cost?: Cost, options?: ReserveOptions): Result<Kind, ReservationOf<Kind>>;
  consumeOrReserve(cost: Cost): Result<Kind, Decision | ReservationOf<Kind>>;
  reset(): Result<Kind, void>;
  block(span: BlockSpan, options?: BlockOptions): Result<Kind, void>;
  unblock(): Result<Kind, boolean>;
  blockedUntil(): Result<Kind, number | undefined>;
}

/** What a router uses of the limiters that `createLimiter` and `combine` make, whatever their stores. */
export interface RoutedTo<Kind extends Kinds, Found> {
  readonly kind: Kinds;
  readonly name: string;
  readonly observers: Observers;
  readonly selection: Selection<never, PlannedSpace>;
  readonly lines: readonly Pick<Lines<PlannedSpace>, "waiting" | "limiter">[];
  allow(input: Found, cost: Cost): Result<Kind, boolean>;
  /** Limiters over an asynchronous store have it. */
  allowLocal?(input: Found, cost: Cost): boolean | undefined;
  allowMany(inputs: readonly Found[], out: Uint8Array, cost: Cost): Result<Kind, number>;
  consume(input: Found, cost: Cost): Result<Kind, Decision>;
  peek(input: Found, cost: Cost): Result<Kind, Decision>;
  consumeOrReserve(input: Found, cost: Cost): Result<Kind, Decision | ReservationOf<Kind>>;
  handle(input: Found): HandleVerbs<Kind>;
  clear(): Result<Kind, void>;
  sweep(): Result<Kind, number>;
  close(): Result<Kind, void>;
}

/** What the calls of a route cost. */
export interface RouteCost<Found> {
  /** Whether costs that callers give have to be translated: the limiter counts their units under other names. */
  readonly renames: boolean;
  /** The cost of a call, in part given by the caller. @throws TollgateError `ERR_COST`. */
  of(input: Found, given: Cost | undefined): Cost;
  /** The cost of a correction: only what the caller gives. @throws TollgateError `ERR_COST`. */
  given(cost: Cost): Cost;
}

/** Which limiter decides about a call, and what the call costs. */
export interface Route<Kind extends Kinds, Found> {
  readonly limiter: RoutedTo<Kind, Found>;
  readonly cost: RouteCost<Found>;
}

/** Chooses a limiter for each call. */
export interface Router<Kind extends Kinds, Input, Found> {
  readonly kind: Kind;
  readonly name: string;
  readonly clock: Clock;
  readonly sources: readonly Source[];
  /** Those of all limiters that it chooses. */
  readonly observers: Observers;
  /** What it looks at in an input. */
  read(input: Input): Found;
  routeOf(found: Found): Route<Kind, Found>;
  /** The limiters that keep keys, each once. */
  limiters(): readonly RoutedTo<Kind, never>[];
  /** Those of them that calls have needed. */
  usedLimiters(): readonly RoutedTo<Kind, never>[];
  /** The limiter of a limit, for metrics. Without this, all calls are those of `name`. */
  limiterOf?(limit: string): string;
}
