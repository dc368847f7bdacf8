/** The vertical axis of a chart. */
export interface Axis {
  readonly ticks: readonly number[];
  /** Where a value is: 0 at the bottom, 1 at the top. NaN for values that the axis cannot show. */
  position(value: number): number;
}

const ROUND = [1, 2, 2.5, 5, 10];
const STEPS = 4;
const MEBIBYTE = 1024 ** 2;

/** An axis from 0 with about four steps of round numbers. `bound` is the most that there can be. */
export function linearAxis(values: readonly number[], unit: string, bound: number | undefined): Axis {
  const scale = unit === "bytes" ? MEBIBYTE : 1;
  const most = Math.max(0, ...values);
  const top = (bound ?? (most === 0 ? 1 : most)) / scale;
  const rough = top / STEPS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * (ROUND.find((round) => round * power >= rough * 0.999) ?? 10);
  const count = Math.max(1, Math.ceil((top / step) * 0.999));
  const ticks = Array.from({ length: count + 1 }, (_, tick) => step * tick * scale);
  return { ticks, position: (value) => value / (step * count * scale) };
}

/** An axis of powers of ten around the values. */
export function logAxis(values: readonly number[]): Axis {
  const positive = values.filter((value) => value > 0);
  const least = Math.floor(Math.log10(Math.min(1, ...positive)));
  const most = Math.max(least + 1, Math.ceil(Math.log10(Math.max(10 ** least, ...positive))));
  const ticks = Array.from({ length: most - least + 1 }, (_, tick) => Number(`1e${least + tick}`));
  return { ticks, position: (value) => (value > 0 ? (Math.log10(value) - least) / (most - least) : Number.NaN) };
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
