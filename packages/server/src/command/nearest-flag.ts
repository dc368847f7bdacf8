/** What other programs call these flags. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["address", "host"],
  ["bind", "host"],
  ["burst", "capacity"],
  ["config", "limits"],
  ["file", "limits"],
  ["listen", "host"],
  ["metrics-port", "admin-port"],
  ["rate", "refill"],
  ["redis-url", "redis"],
]);

/** Longer names are not compared: the steps grow with the length. */
const LONGEST = 40;

/** The flag that was likely meant: at most a third of its letters differ. */
export function nearestFlag(name: string, flags: readonly string[]): string | undefined {
  const other = OTHER_NAMES.get(name);
  if (other !== undefined || name.length > LONGEST) return other;
  const [nearest] = flags
    .map((flag) => ({ flag, distance: editDistance(name, flag) }))
    .sort((one, two) => one.distance - two.distance);
  return nearest !== undefined && nearest.distance <= name.length / 3 ? nearest.flag : undefined;
}

/** How many letters have to be inserted, deleted, replaced or swapped with their neighbour (Damerau, 1964). */
function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= from.length; row += 1) {
    const above = rows[row - 1]!;
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = above[column - 1]! + (from[row - 1] === to[column - 1] ? 0 : 1);
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swapped = row > 1 && column > 1 && isSwapped ? rows[row - 2]![column - 2]! + 1 : replaced;
      current.push(Math.min(above[column]! + 1, current[column - 1]! + 1, replaced, swapped));
    }
    rows.push(current);
  }
  return rows[from.length]![to.length]!;
}
