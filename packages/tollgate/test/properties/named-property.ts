import fc from "fast-check";

/** A property with a name, for test runs of a fixed length and for fuzzing without end. */
export interface NamedProperty {
  readonly name: string;
  /** How much of a run is spent on it, beside the others. */
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
