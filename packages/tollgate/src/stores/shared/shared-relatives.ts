import type { Limit } from "../../core/limits/limit.ts";
import { countsName, type Plan } from "../../core/plan.ts";
import type { Descriptions } from "./plan-descriptions.ts";
import { RelatedKeys } from "./related-keys.ts";
import type { SharedPlan } from "./shared-plan.ts";
import type { SharedTable } from "./shared-table.ts";

/** One thread's view of a plan, with the table of its keys. */
export interface PlanView {
  readonly plan: SharedPlan;
  readonly table: SharedTable;
}

/** A plan's keys and overflow buckets, as its relatives see them. */
export interface Related {
  readonly keys: RelatedKeys;
  readonly buckets: RelatedKeys;
}

/**
 * One thread's views of all plans whose counts carry over. Two plans are relatives if they are of one scope and have
 * limits that count together (`isSameLimit`).
 */
export class SharedRelatives {
  readonly #descriptions: Descriptions;
  readonly #view: (plan: Plan) => PlanView;
  readonly #known = new Map<Plan, Related>();
  readonly #families = new Map<string, Plan[]>();
  /** How many descriptions the families have, of which version. */
  #read = 0;
  #version = 0;

  constructor(descriptions: Descriptions, view: (plan: Plan) => PlanView) {
    this.#descriptions = descriptions;
    this.#view = view;
  }

  /** A plan's own keys and buckets, which know its relatives. */
  of(view: PlanView): Related {
    const relatives = this.#relativesOf(view.plan.plan);
    return {
      keys: new RelatedKeys(view.table.keys, view.plan, () => relatives().map(({ keys }) => keys)),
      buckets: new RelatedKeys(view.table.buckets, view.plan, () => relatives().map(({ buckets }) => buckets)),
    };
  }

  /** Returns a function that returns the relatives that a plan has by now. */
  #relativesOf(plan: Plan): () => readonly Related[] {
    if (plan.onChange === "separate") return () => [];
    const families = plan.limits.map((limit) => this.#familyOf(plan, limit));
    let found: readonly Related[] = [];
    let members = 0;
    let version = 0;
    return () => {
      this.#readDescriptions();
      const count = families.reduce((sum, family) => sum + family.length, 0);
      if (count === members && version === this.#version) return found;
      members = count;
      version = this.#version;
      const others = new Set(families.flat().filter(({ id }) => id !== plan.id));
      found = [...others].map((other) => this.#relatedOf(other));
      return found;
    };
  }

  #readDescriptions(): void {
    const { all, version } = this.#descriptions;
    if (version !== this.#version) this.#forgetRemoved(version);
    for (; this.#read < all.length; this.#read += 1) {
      const plan = all[this.#read]!;
      for (const limit of plan.limits) this.#familyOf(plan, limit).push(plan);
    }
  }

  /** Removes the plans that are not described any more. */
  #forgetRemoved(version: number): void {
    const { all } = this.#descriptions;
    const described = new Set(all);
    for (const [id, family] of this.#families) {
      // Other plans refer to the list.
      family.splice(0, family.length, ...family.filter((plan) => described.has(plan)));
      if (family.length === 0) this.#families.delete(id);
    }
    this.#known.clear();
    this.#read = all.length;
    this.#version = version;
  }

  /** The described plans whose limits count together with this one: a list that grows. */
  #familyOf({ scope }: Plan, limit: Limit): Plan[] {
    const id = JSON.stringify([scope, countsName(limit)]);
    const family = this.#families.get(id) ?? [];
    this.#families.set(id, family);
    return family;
  }

  #relatedOf(plan: Plan): Related {
    const known = this.#known.get(plan) ?? this.of(this.#view(plan));
    this.#known.set(plan, known);
    return known;
  }
}
