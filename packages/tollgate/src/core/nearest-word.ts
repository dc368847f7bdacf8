/** Longer names are not compared: the number of steps grows with the square of the length. */
const LONGEST = 40;

/** Fewer letters are the beginning of too many words. */
const SHORTEST_BEGINNING = 3;

/**
 * The word that a misspelt one was likely meant to be: at most a third of its letters differ, or else it begins the
 * word. `undefined` if no word is near. Upper and lower case are equal.
 */
export function nearestWord(misspelt: string, words: readonly string[]): string | undefined {
  if (misspelt.length > LONGEST) return undefined;
  return similarWord(misspelt, words) ?? completeWord(misspelt.toLowerCase(), words);
}

/** The shortest word that begins so: `allow` is completed to `allowList`. */
function completeWord(beginning: string, words: readonly string[]): string | undefined {
  if (beginning.length < SHORTEST_BEGINNING) return undefined;
  const longer = words.filter((word) => word.toLowerCase().startsWith(beginning));
  return longer.reduce<string | undefined>(
    (shortest, word) => (shortest === undefined || word.length < shortest.length ? word : shortest),
    undefined,
  );
}

function similarWord(misspelt: string, words: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let least = Math.max(1, Math.floor(misspelt.length / 3)) + 1;
  for (const word of words) {
    const distance = editDistance(misspelt.toLowerCase(), word.toLowerCase());
    if (distance >= least) continue;
    nearest = word;
    least = distance;
  }
  return nearest;
}

/**
 * How many letters have to be inserted, deleted, replaced or swapped with their neighbour. Source: Damerau, "A
 * technique for computer detection and correction of spelling errors", 1964, in the restricted form.
 */
function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const differs = from[row - 1] === to[column - 1] ? 0 : 1;
      let least = Math.min(above[column]! + 1, current[column - 1]! + 1, above[column - 1]! + differs);
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (row > 1 && column > 1 && isSwapped) least = Math.min(least, before[column - 2]! + 1);
      current.push(least);
    }
    before = above;
    above = current;
  }
  return above[to.length]!;
}
