/** Clients limit what they may have under way, Glide to 1,000. */
export const CALLS_AT_ONCE = 100;

/** Does something with so many at a time, one portion after the other. */
export async function inTurn<T>(
  items: readonly T[],
  atOnce: number,
  handle: (portion: T[]) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < items.length; from += atOnce) await handle(items.slice(from, from + atOnce));
}
