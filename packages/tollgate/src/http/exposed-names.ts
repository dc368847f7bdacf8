/**
 * A list of names of fields, as `Access-Control-Expose-Headers` has it, with those of another list that it lacks: limiters that
 * stand one behind the other expose the same.
 */
export function exposedNames(before: number | string | readonly string[] | undefined, names: string): string {
  if (before === undefined) return names;
  const list = String(before);
  const there = new Set(list.split(",").map((name) => name.trim().toLowerCase()));
  const lacking = names.split(", ").filter((name) => !there.has(name.toLowerCase()));
  return [list, ...lacking].join(", ");
}
