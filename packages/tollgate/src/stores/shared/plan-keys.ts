import type { OnChange, Plan } from "../../core/plan.ts";
import { KeyMoves, type Move, type MovesStore } from "./key-moves.ts";
import type { RelatedKeys } from "./related-keys.ts";
import { type KeptKeys, SharedKeys } from "./shared-keys.ts";
import type { SharedPlan } from "./shared-plan.ts";
import type { PlanView, Related, SharedRelatives } from "./shared-relatives.ts";
import type { SlotRange } from "./shared-table.ts";

/** What the keys of a plan need of their store. */
export interface PlanKeysStore extends MovesStore {
  readonly relatives: SharedRelatives;
  /** The plans of this thread's limiters. */
  readonly opened: Set<SharedPlan>;
  /** This thread's view of a plan. The plan is described, if its counts carry over. */
  view(plan: Plan): PlanView;
}

/** What spaces need of their store. */
export interface SharedSpaceStore extends PlanKeysStore {
  readonly overflow: "share" | "deny";
  /** Counts a call whose key found no room. */
  countOverflow(): void;
  /** Some housekeeping, between two calls. */
  maintain(): void;
}

/** A plan's keys and its overflow buckets, and those of its relatives. */
export class PlanKeys {
  readonly keys: SharedKeys;
  readonly buckets: SharedKeys;
  /** Where the keys are, without what other threads may begin to count; a list that grows. */
  readonly related: Related;
  readonly #plan: SharedPlan;
  readonly #store: PlanKeysStore;
  readonly #moved: Move[];
  /** Keys that keep their first numbers, by the id of the plan that has these. */
  readonly #kept = new Map<string, PlanKeys>();

  constructor(view: PlanView, onChange: OnChange | "kept", store: PlanKeysStore, moved: Move[]) {
    this.#store = store;
    this.#moved = moved;
    this.related = store.relatives.of(view);
    const { plan, table } = view;
    this.#plan = plan;
    const open = (range: SlotRange, own: RelatedKeys, part: "keys" | "buckets"): SharedKeys => {
      const moves = onChange === "separate" ? undefined : new KeyMoves(own, store, moved, onChange);
      const keptKeys: KeptKeys =
        onChange === "keep-first" ? (former) => this.#keptOf(former.firstPlan())?.[part] : () => undefined;
      // Overflow buckets are no keys that a sweep could drop.
      const counting =
        part === "keys"
          ? store
          : { memory: store.memory, resets: store.resets, clears: store.clears, countSwept: () => {} };
      return new SharedKeys(range, own, counting, moves, keptKeys);
    };
    this.keys = open(table.keys, this.related.keys, "keys");
    this.buckets = open(table.buckets, this.related.buckets, "buckets");
  }

  get size(): number {
    return this.related.keys.scan.size;
  }

  /** Whether relatives may count keys. Then `clear` needs the plan's time. */
  get mayBeElsewhere(): boolean {
    return this.#everywhere.length > 2;
  }

  /** Forgets what all keys count under the plan's limits. Calls of other threads at the same time may be forgotten. */
  clear(): void {
    const { clears } = this.#store;
    // The second time for takes that came after the first one.
    clears.add(this.#plan.limitHashes);
    for (const keys of this.#everywhere) keys.clear(this.#plan);
    clears.add(this.#plan.limitHashes);
  }

  /** Drops the keys that are idle at the plan's time, and says how many. */
  sweep(): number {
    this.related.buckets.scan.sweep();
    return this.related.keys.scan.sweep();
  }

  get #everywhere(): readonly RelatedKeys[] {
    return [...this.related.keys.everywhere, ...this.related.buckets.everywhere];
  }

  #keptOf(plan: Plan | undefined): PlanKeys | undefined {
    if (plan === undefined) return undefined;
    const known = this.#kept.get(plan.id) ?? new PlanKeys(this.#store.view(plan), "kept", this.#store, this.#moved);
    this.#kept.set(plan.id, known);
    return known;
  }
}
