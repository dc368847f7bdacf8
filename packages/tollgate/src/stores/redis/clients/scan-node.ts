/** So many keys a server looks at before it answers: a few tens of microseconds. */
export const KEYS_PER_PORTION = 1_000;

/** What SCAN answers. A client may be told to hand out buffers, or have made a number of what looks like one. */
export type Portion = readonly [cursor: unknown, keys: readonly unknown[]];

/** The pattern for SCAN of every key that begins with the prefix. */
export function keyPattern(prefix: string): string {
  return `${prefix.replaceAll(/[\\*?[\]]/g, String.raw`\$&`)}*`;
}

/** All that one server finds, in portions and without `keyPrefix`, given how it is asked from a cursor on. */
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
