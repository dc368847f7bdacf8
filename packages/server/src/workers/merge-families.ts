import type { Family } from "../admin/exposition/exposition.ts";

/** A metric of one worker, and how those of several are one number. */
export interface WorkerFamily extends Family {
  readonly aggregator?: string;
}

type Sample = Family["values"][number];

/** The metrics of several workers as those of one service. */
export function mergeFamilies(workers: readonly (readonly WorkerFamily[])[]): readonly Family[] {
  const byName = new Map<string, WorkerFamily[]>();
  for (const family of workers.flat()) {
    const same = byName.get(family.name);
    if (same === undefined) byName.set(family.name, [family]);
    else same.push(family);
  }
  return [...byName.values()].filter(([first]) => first?.aggregator !== "omit").map(merged);
}

/** What counts on when a worker is gone: counters never go down. */
export function lastingFamilies(families: readonly WorkerFamily[]): readonly WorkerFamily[] {
  return families.filter(({ type }) => type === "counter" || type === "histogram");
}

function merged(families: readonly WorkerFamily[]): Family {
  const [first] = families;
  if (first === undefined) throw new RangeError("families: expected one at least");
  const samples = new Map<string, Sample[]>();
  for (const sample of families.flatMap(({ values }) => values)) {
    const labels = Object.keys(sample.labels).sort();
    const id = JSON.stringify([sample.metricName, labels.map((label) => [label, sample.labels[label]])]);
    samples.set(id, [...(samples.get(id) ?? []), sample]);
  }
  const values = [...samples.values()].flatMap((same): Sample[] => {
    const [one] = same;
    const numbers = same.map(({ value }) => value);
    return one === undefined ? [] : [{ ...one, value: numberOf(first.aggregator, numbers) }];
  });
  const { name, help, type } = first;
  return { name, help, type, values };
}

/** The names are those of prom-client's aggregators. */
function numberOf(aggregator: string | undefined, numbers: readonly number[]): number {
  const sum = numbers.reduce((total, number) => total + number, 0);
  switch (aggregator) {
    case "first":
      return numbers[0] ?? 0;
    case "min":
      return Math.min(...numbers);
    case "max":
      return Math.max(...numbers);
    case "average":
      return sum / numbers.length;
    default:
      return sum;
  }
}
