/** All that a scan finds, each once, sorted. */
export async function allOf(portions: AsyncIterable<readonly string[]>): Promise<readonly string[]> {
  const found = new Set<string>();
  for await (const keys of portions) for (const key of keys) found.add(key);
  return [...found].sort();
}
