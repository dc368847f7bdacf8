import { warnOfObserver } from "../../core/observer.ts";

/** The label of keys beyond the cap, and of those for which the function fails. */
const OTHER = "other";

/** Finds the label of a key, and no more different labels than a cap admits. Never throws. */
export class KeyLabels {
  readonly #labelOf: (key: string) => string;
  readonly #most: number;
  readonly #known = new Set<unknown>();

  constructor(labelOf: (key: string) => string, most: number) {
    this.#labelOf = labelOf;
    this.#most = most;
  }

  of(key: string): string {
    try {
      const label: unknown = this.#labelOf(key);
      if (typeof label !== "string") return OTHER;
      if (this.#known.size < this.#most) this.#known.add(label);
      return this.#known.has(label) ? label : OTHER;
    } catch (error) {
      warnOfObserver(error);
      return OTHER;
    }
  }
}
