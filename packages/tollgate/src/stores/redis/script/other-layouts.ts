import type { Limit } from "../../../core/limits/limit.ts";

/** A layout as the script's arguments describe it. */
export interface LayoutTexts {
  readonly id: string;
  readonly texts: readonly string[];
  /** In the order of the texts; none if its description is lost. */
  readonly limits: readonly Limit[];
}

/** After a call met another layout, so many calls of the script take the general form and describe it. */
const CALLS_THAT_DESCRIBE = 1_000;
/**
 * After a call met sections only, which describe themselves, so many take the general form. They may be those of a
 * blocked key, which should not slow down the others for long. A function that alternates plans meets more of them.
 */
const CALLS_AFTER_SECTIONS = 32;
/** The most layouts that a call describes for one plan. */
const MOST_DESCRIBED = 64;

/** What calls of a plan met lately in place of its layout: sections, and the layouts of another version. */
export class OtherLayouts {
  #calls = 0;
  readonly #met = new Map<string, LayoutTexts>();

  /** Whether calls expect other layouts. Otherwise they take the short forms. */
  get areExpected(): boolean {
    return this.#calls > 0;
  }

  /** Notes layouts that a call met; none, if it met sections or lost layouts. */
  meet(layouts: readonly LayoutTexts[]): void {
    this.#calls = Math.max(this.#calls, layouts.length > 0 ? CALLS_THAT_DESCRIBE : CALLS_AFTER_SECTIONS);
    for (const layout of layouts) {
      this.#met.delete(layout.id);
      this.#met.set(layout.id, layout);
    }
    for (const id of this.#met.keys()) {
      if (this.#met.size <= MOST_DESCRIBED) break;
      this.#met.delete(id);
    }
  }

  /** What a call describes. */
  describe(): Iterable<LayoutTexts> {
    if (this.#calls === 0) return [];
    this.#calls -= 1;
    const layouts = [...this.#met.values()];
    if (this.#calls === 0) this.#met.clear();
    return layouts;
  }
}
