import type { Scope } from "../../core/plan.ts";
import { Families, type Relative, type RelativesStore } from "./families.ts";

/** With so many scopes, those go that nothing refers to. */
const MANY_SCOPES = 64;

/**
 * The families of one store, by scope, held weakly: they live as long as one of their tables or a space. A limiter may
 * be dropped without being closed.
 */
export class Relatives<Table extends Relative> {
  readonly #scopes = new Map<Scope, Reference<Families<Table>>>();
  readonly #store: RelativesStore;
  #crowdedAt = MANY_SCOPES;

  constructor(store: RelativesStore) {
    this.#store = store;
  }

  of(scope: Scope): Families<Table> {
    const known = this.#scopes.get(scope)?.deref();
    if (known !== undefined) return known;
    const families = new Families<Table>(this.#store);
    this.#scopes.set(scope, typeof WeakRef === "function" ? new WeakRef(families) : { deref: () => families });
    if (this.#scopes.size >= this.#crowdedAt) this.#dropUnreferenced();
    return families;
  }

  #dropUnreferenced(): void {
    for (const [scope, reference] of this.#scopes) if (reference.deref() === undefined) this.#scopes.delete(scope);
    this.#crowdedAt = Math.max(MANY_SCOPES, 2 * this.#scopes.size);
  }
}

interface Reference<Value> {
  deref(): Value | undefined;
}
