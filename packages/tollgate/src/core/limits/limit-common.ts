import type { BlockFor } from "./block-for.ts";

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
  readonly blockFor?: BlockFor;
  /** The algorithm, its numbers and its unit as text. Limits with equal fingerprints decide alike. */
  readonly fingerprint: string;
}

/** Global, so that the copies of the library for `import` and for `require` accept each other's limits. */
const SEAL = Symbol.for("tollgate.limit");
const CHOSEN = "chosen name";
const DERIVED = "derived name";

/**
 * Freezes a checked limit and marks it as one. The mark is not enumerable, so a spread copy with other numbers has no
 * mark and is refused: its fingerprint would not fit its numbers. The mark says whether the user chose the name, which
 * then outlasts a change of the numbers.
 */
export function sealLimit<L extends LimitCommon>(chosenName: string | undefined, limit: L): L {
  return Object.freeze(Object.defineProperty(limit, SEAL, { value: chosenName === undefined ? DERIVED : CHOSEN }));
}

/** The same numbers with what another limit of this name does: its mode and its blocks. */
export function actingAs<L extends LimitCommon>(limit: L, { mode, blockFor }: LimitCommon): L {
  if (limit.mode === mode && limit.blockFor === blockFor) return limit;
  const { blockFor: _, ...numbers } = limit;
  const acting = { ...numbers, mode, ...(blockFor && { blockFor }) } as L;
  return sealLimit(hasChosenName(limit) ? limit.name : undefined, acting);
}

/** Whether a limit factory made the value. */
export function isSealed(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, SEAL);
}

/** Whether the user chose the limit's name. Otherwise it was derived from the numbers. */
export function hasChosenName(limit: LimitCommon): boolean {
  return Object.getOwnPropertyDescriptor(limit, SEAL)?.value === CHOSEN;
}
