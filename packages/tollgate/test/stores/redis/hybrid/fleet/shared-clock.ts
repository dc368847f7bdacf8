/** Calls are counted in slots of this length. */
export const SLOT_MS = 10;

/** A moment by a clock that all processes of a machine share, and that no time server sets. */
export function sharedNowMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
