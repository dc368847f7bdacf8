import { isSameLimit } from "../../algorithms/carry-over.ts";
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
  /** By their ids, the plans of spaces whose tables were empty and have gone. A moved key may have made them again. */
  readonly absent = new Map<string, Plan>();
}

/**
 * The tables of one store that are relatives: tables of one scope whose plans have a limit of the same name. A key and
 * a name are counted in one of them at a time. Tables of plans with separate counts have no relatives.
 */
export class Relatives<Table extends Relative> {
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
    if (table.users.spaces > 0) families.absent.set(table.plan.id, table.plan);
    families.tables -= 1;
    if (families.tables === 0) this.#scopes.delete(scope);
  }

  /** The tables of other plans that have a limit of the same name as this plan, each once. */
  of(plan: Plan, isWanted: (table: Table) => boolean = () => true): Table[] {
    const byName = this.#scopes.get(plan.scope)?.byName;
    const families = plan.limits.map((limit) => byName?.get(nameOf(limit)) ?? []);
    const found = families.flatMap((family) => [...family].filter((one) => isWanted(one) && one.plan.id !== plan.id));
    return families.length === 1 ? found : [...new Set(found)];
  }

  /** The relatives that no limiter asks under their own numbers any more. Each counts as part of one plan. */
  formerOf(plan: Plan): Table[] {
    return this.of(plan, (table) => !this.#isUsed(table) && this.#userOf(table, plan).id === plan.id);
  }

  #isUsed({ users, plan: { scope, id } }: Table): boolean {
    return users.spaces > 0 || this.#scopes.get(scope)?.absent.has(id) === true;
  }

  /** A space has found the plan's table, or is closed. */
  forgetAbsent({ scope, id }: Plan): void {
    this.#scopes.get(scope)?.absent.delete(id);
  }

  /** The plan in use of which the keys of a former table are a part. */
  #userOf({ plan }: Table, asking: Plan): Plan {
    const [used] = this.of(plan, (table) => this.#isUsed(table));
    if (used !== undefined) return used.plan;
    const absent = [...(this.#scopes.get(plan.scope)?.absent.values() ?? [])];
    return (
      absent.find(({ limits }) => limits.some((one) => plan.limits.some((own) => isSameLimit(one, own)))) ?? asking
    );
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
