/** Where the greatest numbers above 0 are, the greatest first. */
export function greatest(numbers: Uint32Array, count: number): number[] {
  const least = Math.max(1, numbers.toSorted().at(-count) ?? 0);
  const places = [...numbers.keys()].filter((place) => numbers[place]! >= least);
  return places.sort((one, other) => numbers[other]! - numbers[one]!).slice(0, count);
}
