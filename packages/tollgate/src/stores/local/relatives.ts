import type { Limit } from "../../core/limits/limit.ts";
import type { Plan, Scope } from "../../core/plan.ts";
import { KeyHash } from "./key-hash.ts";
import type { Secrets } from "./secrets.ts";

/** A table that may have relatives. */
export interface Relative {
  readonly plan: Plan;
  readonly users: { readonly spaces: number };
}

/** The tables of one scope. */
class Families<Table> {
  /** Tables whose plans have a limit of one name and unit. */
  readonly byName = new Map<string, Set<Table>>();
  /** The same for all tables, so that a key has the same overflow bucket in each. */
  overflowHash: KeyHash | undefined = undefined;
  /** How many tables have joined. */
  tables = 0;
}

/**
 * The tables of one store that are relatives: tables of one scope whose plans have a limit of the same name. A key and
 * a name are counted in one of them at a time. Tables of plans with separate counts have no relatives.
 */
export class Relatives<Table extends Relative> {
  /** Grows when a table joins or leaves. */
  changes = 0;
  readonly #scopes = new Map<Scope, Families<Table>>();
  readonly #secrets: Secrets;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** @returns the table's families, one for each limit. */
  join(table: Table): readonly ReadonlySet<Table>[] {
    const { scope, limits } = table.plan;
    const families = this.#scopes.get(scope) ?? new Families<Table>();
    this.#scopes.set(scope, families);
    families.tables += 1;
    this.changes += 1;
    return limits.map((limit) => {
      const name = nameOf(limit);
      const family = families.byName.get(name) ?? new Set<Table>();
      families.byName.set(name, family.add(table));
      return family;
    });
  }

  leave(table: Table): void {
    const { scope, limits } = table.plan;
    const families = this.#scopes.get(scope);
    if (families === undefined) return;
    for (const limit of limits) {
      const family = families.byName.get(nameOf(limit));
      family?.delete(table);
      if (family?.size === 0) families.byName.delete(nameOf(limit));
    }
    families.tables -= 1;
    this.changes += 1;
    if (families.tables === 0) this.#scopes.delete(scope);
  }

  /** The tables of other plans that have a limit of the same name as this plan. */
  of({ scope, id, limits }: Plan): readonly Table[] {
    const families = this.#scopes.get(scope);
    if (families === undefined) return [];
    const found = new Set(limits.flatMap((limit) => [...(families.byName.get(nameOf(limit)) ?? [])]));
    return [...found].filter(({ plan }) => plan.id !== id);
  }

  /** The relatives that no limiter asks under their own numbers any more. Each counts as part of one plan. */
  formerOf(plan: Plan): readonly Table[] {
    return this.of(plan).filter((table) => {
      if (table.users.spaces > 0) return false;
      const user = this.of(table.plan).find(({ users }) => users.spaces > 0);
      return user === undefined || user.plan.id === plan.id;
    });
  }

  /** The hash of overflow buckets, for tables that have joined. */
  overflowHashOf({ scope }: Plan): KeyHash {
    const families = this.#scopes.get(scope);
    const hash = families?.overflowHash ?? new KeyHash(this.#secrets.next());
    if (families !== undefined) families.overflowHash = hash;
    return hash;
  }
}

function nameOf({ name, unit }: Limit): string {
  return `${unit}\n${name}`;
}
