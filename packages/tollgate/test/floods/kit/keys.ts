/**
 * Which key each request of a connection is for. `"one"`: all for the same. `"in turn"`: some in a row for one, then
 * for the next, so that at any moment some key has units left. `"exhausted and new"`: every other for the key 0, those
 * between in turn.
 */
export type Keys = "one" | "in turn" | "exhausted and new";

/** How many keys there are in turn. */
const KEYS_IN_TURN = 100;
/** The key that is exhausted before the flood. */
export const EXHAUSTED = 0;

export function keyOf(keys: Keys, position: number, requests: number): number {
  if (keys === "one") return EXHAUSTED;
  if (keys === "exhausted and new" && position % 2 === 0) return EXHAUSTED;
  return 1 + Math.floor((position * KEYS_IN_TURN) / requests);
}

/** The path of a key, which is what the limiter counts. */
export function pathOf(key: number): string {
  return `/${key}`;
}

/** The path of a second client. */
export const GUEST_PATH = "/guest";
