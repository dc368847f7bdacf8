import type { VitalSigns } from "./process/vital-signs.ts";

/**
 * What a service may keep beyond its first sample: keys, open reservations, the limits that these were made under, and
 * code that was compiled.
 */
const MOST_GROWTH_BYTES = 48 * 1024 * 1024;

/** Watches what a service keeps. */
export class Growth {
  #first: number | undefined;
  #last = 0;

  /** Takes a sample. The first one is the measure for the others. @returns what is wrong. */
  note({ keptBytes }: VitalSigns): string | undefined {
    this.#first ??= keptBytes;
    this.#last = keptBytes;
    if (keptBytes - this.#first <= MOST_GROWTH_BYTES) return undefined;
    return `memory grew from ${mib(this.#first)} to ${mib(keptBytes)} after a garbage collection`;
  }

  toString(): string {
    return `${mib(this.#first ?? 0)} → ${mib(this.#last)}`;
  }
}

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
