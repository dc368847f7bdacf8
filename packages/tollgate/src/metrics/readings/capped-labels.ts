import { warnOfObserver } from "../../core/observer.ts";

/** The label beyond the cap, and where the function fails. */
export const OTHER = "other";

/** Finds the label of a key or limit, and no more different labels than a cap admits. Never throws. */
export class CappedLabels {
  readonly #labelOf: (text: string) => string;
  readonly #most: number;
  readonly #known = new Set<unknown>();

  constructor(labelOf: (text: string) => string, most: number) {
    this.#labelOf = labelOf;
    this.#most = most;
  }

  of(text: string): string {
    try {
      const label: unknown = this.#labelOf(text);
      if (typeof label !== "string") return OTHER;
      if (this.#known.size < this.#most) this.#known.add(label);
      return this.#known.has(label) ? label : OTHER;
    } catch (error) {
      warnOfObserver(error);
      return OTHER;
    }
  }
}
