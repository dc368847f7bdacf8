import type { Clock } from "../core/clock.ts";
import { type Cost, copyCost, REQUESTS, type UnitCosts } from "../core/cost.ts";
import { ListCache } from "./list-cache.ts";
import { Observers } from "./observers.ts";
import type { Route, RouteCost, RoutedTo, Router } from "./router.ts";
import type { Source } from "./selection.ts";

type Kinds = "sync" | "async";

/** A limiter of a combination, some of which choose others. */
export interface PartOf<Kind extends Kinds> extends RoutedTo<Kind, never> {
  readonly clock: Clock;
  readonly sources: readonly Source[];
  readonly router?: Router<Kind, never, unknown>;
}

/** Combines limiters that choose no others. The input is a list, one for each. */
export type CombineDeciding = (limiters: readonly unknown[]) => unknown;

type Found = readonly unknown[];

/** Chooses the combination of what some limiters choose. */
export class CombinedRouter<Kind extends Kinds> implements Router<Kind, never, Found> {
  readonly kind: Kind;
  readonly name: string;
  readonly clock: Clock;
  readonly sources: readonly Source[];
  readonly observers: Observers;
  readonly #parts: readonly PartOf<Kind>[];
  readonly #inputOf: (input: never, index: number) => never;
  readonly #combine: CombineDeciding;
  readonly #routes = new ListCache<RoutedTo<Kind, never>, RoutedTo<Kind, Found>>();

  /** `inputOf` finds the input of the part with that index. There is one part at least. */
  constructor(
    kind: Kind,
    parts: readonly PartOf<Kind>[],
    inputOf: (input: never, index: number) => never,
    combine: CombineDeciding,
  ) {
    this.kind = kind;
    this.name = parts.map(({ name }) => name).join(" + ");
    this.clock = parts[0]!.clock;
    this.sources = parts.flatMap(({ sources }) => sources);
    this.observers = new Observers(
      undefined,
      parts.map(({ observers }) => observers),
    );
    this.#parts = parts;
    this.#inputOf = inputOf;
    this.#combine = combine;
  }

  read(input: never): Found {
    return this.#parts.map(({ router }, i) => {
      const own = this.#inputOf(input, i);
      return router === undefined ? own : router.read(own);
    });
  }

  routeOf(found: Found): Route<Kind, Found> {
    const routes = this.#parts.map((part, i) => part.router?.routeOf(found[i]));
    const limiters = routes.map((route, i) => (route?.limiter ?? this.#parts[i]!) as RoutedTo<Kind, never>);
    const limiter = this.#routes.get(limiters) ?? this.#join(limiters);
    return { limiter, cost: new CombinedCost(routes.map((route) => route?.cost)) };
  }

  limiters(): readonly RoutedTo<Kind, never>[] {
    return this.#parts.flatMap((part) => part.router?.limiters() ?? part);
  }

  usedLimiters(): readonly RoutedTo<Kind, never>[] {
    return this.#parts.flatMap((part) => part.router?.usedLimiters() ?? part);
  }

  #join(limiters: readonly RoutedTo<Kind, never>[]): RoutedTo<Kind, Found> {
    const joined = this.#combine(limiters) as RoutedTo<Kind, Found>;
    joined.observers.include(this.observers);
    this.#routes.set(limiters, joined);
    return joined;
  }
}

/** What a call of several limiters costs. All count the same: in each unit the most that one of them states. */
class CombinedCost implements RouteCost<Found> {
  readonly #parts: readonly (RouteCost<unknown> | undefined)[];

  /** `undefined` for a limiter that states no costs. */
  constructor(parts: readonly (RouteCost<unknown> | undefined)[]) {
    this.#parts = parts;
  }

  get renames(): boolean {
    return this.#parts.some((part) => part?.renames === true);
  }

  of(found: Found, given: Cost | undefined): Cost {
    return this.#joined(given ?? 1, (part, i) => part.of(found[i], given));
  }

  given(cost: Cost): Cost {
    return this.#joined(cost, (part) => part.given(cost));
  }

  /** Units that no part states are those of other limiters. */
  #joined(given: Cost, costOf: (part: RouteCost<unknown>, index: number) => Cost): Cost {
    const costs = this.#parts.map((part, i) => (part === undefined ? given : costOf(part, i)));
    if (costs.every((cost) => cost === given)) return given;
    const stated = new Map<string, number>();
    for (const [i, cost] of costs.entries()) {
      if (this.#parts[i] === undefined) continue;
      for (const [unit, units] of Object.entries(byUnit(cost)))
        stated.set(unit, Math.max(units, stated.get(unit) ?? 0));
    }
    return { ...byUnit(given), ...Object.fromEntries(stated) };
  }
}

function byUnit(cost: Cost): UnitCosts {
  return typeof cost === "number" ? { [REQUESTS]: cost } : (copyCost(cost) as UnitCosts);
}
