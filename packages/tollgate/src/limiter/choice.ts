import { ownCopy } from "../core/text-memory.ts";
import type { CountedKey, PlannedSpace, SpaceList } from "./space-list.ts";

/** The limits that a limiter has for a key, as spaces. */
export interface ChosenSpaces<Space extends PlannedSpace> {
  /** Set if the key is known but its limits are not: then `list` throws. */
  readonly lacksLimits?: true;
  /** The spaces in which a call is counted. Opens those that were released again. */
  list(): SpaceList<Space>;
  /** Every space where the key may have been counted, under the limits of now or of earlier. */
  everySpace(): readonly Space[];
  /** Enough of these spaces to forget the key in all of them. */
  spacesToForget(): readonly Space[];
}

/** Keys and limits, chosen for an input. Selections write into it; synchronous calls reuse one. */
export class Choice<Space extends PlannedSpace> {
  /** One for each limiter, encoded, whether or not it has limits for this input. */
  readonly keys: string[];
  /** The spaces of each limiter. */
  readonly chosen: ChosenSpaces<Space>[];
  /** The name of the first limiter whose limits function returned `"deny"`. */
  deniedBy: string | undefined;
  /** How many limiters have chosen. */
  #count = 0;

  constructor(keys: string[] = [], chosen: ChosenSpaces<Space>[] = [], deniedBy?: string) {
    this.keys = keys;
    this.chosen = chosen;
    this.deniedBy = deniedBy;
  }

  add(key: string, chosen: ChosenSpaces<Space>, deniedBy: string | undefined): void {
    this.keys[this.#count] = key;
    this.chosen[this.#count] = chosen;
    this.#count += 1;
    this.deniedBy ??= deniedBy;
  }

  /** Prepares it for another input of the same selection. */
  clear(): void {
    this.#count = 0;
    this.deniedBy = undefined;
  }

  /** A copy to keep, with keys of its own: longer strings that they are part of are not kept. Its lists are tight. */
  kept(): Choice<Space> {
    return new Choice(this.keys.map(ownCopy), this.chosen.slice(), this.deniedBy);
  }

  /** Enough of these to forget every key everywhere. */
  keysToForget(): CountedKey<Space>[] {
    return this.chosen.flatMap((chosen, i) => chosen.spacesToForget().map((space) => ({ space, key: this.keys[i]! })));
  }
}
