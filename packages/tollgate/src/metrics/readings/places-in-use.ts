import type { Held } from "../../limiter/reserving/held.ts";
import { MOST_LIMITS } from "./acquire-counts.ts";
import { CappedLabels } from "./capped-labels.ts";

/** The places that reservations hold. Those that nothing frees leave when they have expired. */
export class PlacesInUse {
  readonly #held = new Set<Held>();
  readonly #limits = new CappedLabels((limit) => limit, MOST_LIMITS);
  /** With so many reservations it looks for those that have expired. */
  #crowdedAt = 1_000;

  add(held: Held, nowUs: () => number): void {
    this.#held.add(held);
    held.onFreed = () => void this.#held.delete(held);
    if (this.#held.size < this.#crowdedAt) return;
    this.byLimit(nowUs());
    this.#crowdedAt = 2 * Math.max(500, this.#held.size);
  }

  /** The places by the label of their limit. */
  byLimit(nowUs: number): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const held of this.#held) {
      const inUse = held.inUseAt(nowUs);
      if (inUse.length === 0) this.#held.delete(held);
      for (const { limit, count } of inUse) {
        const label = this.#limits.of(limit);
        counts.set(label, (counts.get(label) ?? 0) + count);
      }
    }
    return counts;
  }
}
