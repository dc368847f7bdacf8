/** How many keys one SCAN visits: a few tens of microseconds for the server. */
export const KEYS_PER_PORTION = 1_000;
/** The most calls in flight at once. Clients limit them, Glide to 1,000. */
export const CALLS_AT_ONCE = 100;

/** A reply of SCAN. Some clients return buffers, or convert texts that look like numbers. */
export type Portion = readonly [cursor: unknown, keys: readonly unknown[]];

/** The SCAN pattern for all keys that begin with the prefix. */
export function keyPattern(prefix: string): string {
  return `${prefix.replaceAll(/[\\*?[\]]/g, String.raw`\$&`)}*`;
}

/** The keys of one server, in portions and without `keyPrefix`. `scan` runs SCAN from a cursor on. */
export async function* scanNode(
  keyPrefix: string,
  scan: (cursor: string) => Promise<unknown>,
): AsyncGenerator<readonly string[]> {
  let cursor = "0";
  do {
    const [next, keys] = (await scan(cursor)) as Portion;
    cursor = String(next);
    if (keys.length > 0) yield keys.map((key) => String(key).slice(keyPrefix.length));
  } while (cursor !== "0");
}
