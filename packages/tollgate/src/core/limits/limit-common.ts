import type { BlockPolicy } from "./block-for.ts";

/** Whether a limit decides (`"enforce"`) or only watches what it would have decided (`"shadow"`). */
export type LimitMode = "enforce" | "shadow";

/** What every limit has. */
export interface LimitCommon {
  /** The limit's name among those of its limiter, in decisions, headers and metrics. */
  readonly name: string;
  /** What the limit counts; `"requests"` by default. */
  readonly unit: string;
  readonly mode: LimitMode;
  /** The most units that the limit ever admits at once. */
  readonly capacity: number;
  /** How long the limit blocks a key that exhausts it. Absent if it does not. */
  readonly blockFor?: BlockPolicy;
  /** The algorithm, its numbers and its unit as text. Limits with equal fingerprints decide alike. */
  readonly fingerprint: string;
}

/** Global, so that the copies of the library for `import` and for `require` accept each other's limits. */
const SEAL: unique symbol = Symbol.for("tollgate.limit");

/** What only limit factories know of a limit. */
interface Mark {
  /** Whether the user chose the name, which then outlasts a change of the numbers. */
  readonly hasChosenName: boolean;
  /** An `Algorithm`: a limit brings its arithmetic, so that a bundle has only the algorithms that it uses. */
  readonly algorithm: object;
}

/**
 * Freezes a checked limit and marks it as one. The mark is not enumerable, so a spread copy with other numbers has no
 * mark and is refused: its fingerprint would not fit its numbers.
 */
export function sealLimit<L extends LimitCommon>(chosenName: string | undefined, algorithm: object, limit: L): L {
  const mark: Mark = { hasChosenName: chosenName !== undefined, algorithm };
  return Object.freeze(Object.defineProperty(limit, SEAL, { value: mark }));
}

/** The same numbers with what another limit of this name does: its mode and its blocks. */
export function actingAs<L extends LimitCommon>(limit: L, { mode, blockFor }: LimitCommon): L {
  if (limit.mode === mode && limit.blockFor === blockFor) return limit;
  const { blockFor: _, ...numbers } = limit;
  const acting = { ...numbers, mode, ...(blockFor && { blockFor }) } as L;
  const { hasChosenName: isChosen, algorithm } = markOf(limit);
  return sealLimit(isChosen ? limit.name : undefined, algorithm, acting);
}

/** Whether a limit factory made the value. */
export function isSealed(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, SEAL);
}

/** The mark of a sealed limit. */
export function markOf(limit: LimitCommon): Mark {
  return (limit as unknown as { readonly [SEAL]: Mark })[SEAL];
}

/** Whether the user chose the limit's name. Otherwise it was derived from the numbers. */
export function hasChosenName(limit: LimitCommon): boolean {
  return markOf(limit).hasChosenName;
}

/**
 * Whether two limits enforce and count the same. Their numbers tell: a fingerprint is a text of them, and to compare
 * texts that were just made takes three times as long.
 */
export function isAlike(one: LimitCommon, other: LimitCommon): boolean {
  if (one === other) return true;
  const { hasChosenName: isChosen, algorithm } = markOf(other);
  const own = markOf(one);
  if (own.algorithm !== algorithm || own.hasChosenName !== isChosen || one.blockFor !== other.blockFor) return false;
  for (const name in other) {
    // Both are made of the others.
    if (name === "fingerprint" || (name === "name" && !isChosen)) continue;
    if (one[name as keyof LimitCommon] !== other[name as keyof LimitCommon]) return false;
  }
  return true;
}
