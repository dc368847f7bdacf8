/**
 * The key of each request of a connection. `"one"`: the same key for all. `"in turn"`: one key for some requests in a
 * row, then the next, so that at any moment some key has units left. `"exhausted and new"`: key 0 for every other
 * request, and keys in turn between them.
 */
export type Keys = "one" | "in turn" | "exhausted and new";

/** The number of keys in turn. */
const KEYS_IN_TURN = 100;
/** The key that is exhausted before the flood. */
export const EXHAUSTED = 0;

export function keyOf(keys: Keys, position: number, requests: number): number {
  if (keys === "one") return EXHAUSTED;
  if (keys === "exhausted and new" && position % 2 === 0) return EXHAUSTED;
  return 1 + Math.floor((position * KEYS_IN_TURN) / requests);
}

/** The path of a key. The limiter counts by the path. */
export function pathOf(key: number): string {
  return `/${key}`;
}

/** The path of a second client. */
export const GUEST_PATH = "/guest";
