/** The vertical axis of a chart. */
export interface Axis {
  readonly top: number;
  readonly ticks: readonly number[];
}

const ROUND = [1, 2, 2.5, 5, 10];
const STEPS = 4;

/** An axis from 0 with about four steps of round numbers. `bound` is the most that there can be. */
export function axisOf(most: number, bound: number | undefined): Axis {
  const top = bound ?? (most === 0 ? 1 : most);
  const rough = top / STEPS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * (ROUND.find((round) => round * power >= rough * 0.999) ?? 10);
  const count = Math.max(1, Math.ceil((top / step) * 0.999));
  return { top: step * count, ticks: Array.from({ length: count + 1 }, (_, tick) => step * tick) };
}

/** A value with its unit, as Grafana calls units. */
export function valueText(value: number, unit: string): string {
  switch (unit) {
    case "s":
      return value === 0 ? "0" : scaled(value, TIMES);
    case "bytes":
      return value === 0 ? "0" : scaled(value, BYTES);
    case "percentunit":
      return `${rounded(value * 100)} %`;
    case "ops":
    case "reqps":
      return value === 0 ? "0" : `${scaled(value, COUNTS)}/s`;
    default:
      return value === 0 ? "0" : scaled(value, COUNTS);
  }
}

type Scale = readonly (readonly [number, string])[];

const TIMES: Scale = [
  [1, " s"],
  [1e-3, " ms"],
  [1e-6, " µs"],
  [1e-9, " ns"],
];
const BYTES: Scale = [
  [1024 ** 3, " GiB"],
  [1024 ** 2, " MiB"],
  [1024, " KiB"],
  [1, " B"],
];
const COUNTS: Scale = [
  [1e6, " M"],
  [1e3, " k"],
  [0, ""],
];

function scaled(value: number, scale: Scale): string {
  const [unit, name] = scale.find(([least]) => value >= least * 0.999) ?? scale.at(-1)!;
  return `${rounded(value / (unit === 0 ? 1 : unit))}${name}`;
}

function rounded(value: number): string {
  return String(Number(value.toPrecision(3)));
}
