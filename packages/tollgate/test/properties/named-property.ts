import fc from "fast-check";

/** A property with a name, for test runs of a fixed length and for endless fuzzing. */
export interface NamedProperty {
  readonly name: string;
  /** Its share of the cases of a run, in proportion to the other weights. */
  readonly weight: number;
  readonly property: fc.IProperty<unknown>;
}

export function namedProperty<T>(
  name: string,
  weight: number,
  arbitrary: fc.Arbitrary<T>,
  holds: (value: T) => void,
): NamedProperty {
  return { name, weight, property: fc.property(arbitrary, holds) };
}
