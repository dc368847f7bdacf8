import { createPlan, type Plan } from "../../../../../src/core/plan.ts";
import type { SyncSpace } from "../../../../../src/core/store.ts";
import { createTimeCell } from "../../../../../src/core/time-cell.ts";
import { type Limit, type LocalStore, memoryStore } from "../../../../../src/index.ts";
import { Report } from "../../../../../src/store/index.ts";
import { type EncodedPlan, encodePlan } from "../../../../../src/stores/redis/script/encode-plan.ts";

/** A plan for the script and for the memory store. */
export interface TwinPlan {
  readonly plan: Plan;
  readonly encoded: EncodedPlan;
  /** Equal for plans of one row. */
  readonly cells: string;
}

/** One memory store per key. Nothing is swept. */
export class TwinWorld {
  readonly originUs: number;
  readonly #stores = new Map<string, LocalStore>();
  readonly #spaces = new Map<string, SyncSpace>();
  readonly #context = { clock: { now: () => 0 } };

  constructor(originUs: number) {
    this.originUs = originUs;
  }

  plan(name: string, limits: readonly Limit[]): TwinPlan {
    const plan = createPlan(name, name, limits, limits.length % 2 === 0 ? "separate" : "carry-over");
    return { plan, encoded: encodePlan(plan), cells: `${name}\n${plan.id}` };
  }

  /**
   * The space of one key under a plan, for one call. Its ticks count from the origin, as in the script: a store
   * lets go of what is empty, and begins anew at the moment of the next call.
   */
  space({ plan }: TwinPlan, key: string): SyncSpace {
    const scope = `${plan.limiter} of ${key}`;
    const name = [scope, ...plan.limits.map((limit) => `${limit.name} ${limit.mode}`)].join("\n");
    const space = this.#spaces.get(name) ?? this.#open(scope, plan.limits);
    this.#spaces.set(name, space);
    const nothing = plan.limits.map(() => 0);
    space.apply("explain", key, nothing, createTimeCell(this.originUs), new Report(), 0);
    return space;
  }

  #open(scope: string, limits: readonly Limit[]): SyncSpace {
    const own = createPlan(scope, scope, limits);
    const store = this.#stores.get(own.id + scope) ?? memoryStore();
    this.#stores.set(own.id + scope, store);
    const space = store.open(own, this.#context);
    space.maintain = () => {};
    return space;
  }
}
