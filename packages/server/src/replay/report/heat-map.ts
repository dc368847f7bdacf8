import type { Grid } from "../fitting.ts";
import type { LimitMark } from "../judging.ts";
import { RATES } from "../rates.ts";
import { behind, escaped, percent, table } from "./markup.ts";

const LEFT = 40;
const CELL = 18;
const ROW = 13;
/** The least share of each colour. */
const STEPS = [0, 1e-9, 0.001, 0.01, 0.05, 0.2, 0.5];
const NAMES = ["none", "up to 0.1 %", "up to 1 %", "up to 5 %", "up to 20 %", "up to half", "more"];

/** The share of clients that a bucket would deny something, by its refill and its capacity. */
export function heatMap(grid: Grid, marks: readonly LimitMark[]): string {
  const { capacities, shares, frontiers } = grid;
  const bottom = RATES.length * ROW;
  const cells = shares.flatMap((row, rate) =>
    row.map((share, column) => {
      const place = `x="${LEFT + column * CELL}" y="${rate * ROW}" width="${CELL}" height="${ROW}"`;
      const name = `${capacities[column]} at once, ${rateName(rate)}: denies ${percent(share)} of the clients`;
      return `<rect ${place} class="h${stepOf(share)}"><title>${name}</title></rect>`;
    }),
  );
  const labels = [
    ...RATES.map((_, rate) => `<text x="${LEFT - 3}" y="${rate * ROW + 10}" class="end">${rateName(rate)}</text>`),
    ...capacities.map((capacity, column) => {
      return `<text x="${LEFT + (column + 0.5) * CELL}" y="${bottom + 10}" class="mid">${short(capacity)}</text>`;
    }),
    `<text x="${LEFT + (capacities.length * CELL) / 2}" y="${bottom + 22}" class="mid">capacity: at once</text>`,
  ];
  const lines = frontiers.map(({ capacities: needed }, index) => {
    const points = needed.map((capacity, rate) => `${xOf(capacity, capacities)},${rate * ROW + ROW / 2}`);
    return `<polyline class="line f${index}" points="${points.join(" ")}"/>`;
  });
  const dots = marks.map((mark, index) => {
    const [x, y] = [xOf(mark.capacity, capacities), yOf(mark.refill / mark.perMs)];
    return `<circle cx="${x}" cy="${y}" r="6" class="mark"/><text x="${x}" y="${y + 3}" class="mid">${index + 1}</text>`;
  });
  const size = `0 0 ${LEFT + capacities.length * CELL + 4} ${bottom + 26}`;
  const label = "Share of clients denied something, by refill and capacity";
  const drawing = [...cells, ...labels, ...lines, ...dots].join("\n");
  return `<svg viewBox="${size}" role="img" aria-label="${label}">${drawing}</svg>
<ul class="legend">${NAMES.map((name, step) => `<li><i class="box h${step}"></i>${name}</li>`).join("")}</ul>
<ul class="legend">${frontiers.map(({ name }, index) => `<li><i class="dash f${index}"></i>${name}</li>`).join("")}</ul>
${marks.length === 0 ? "" : `<p>Limits of the file, by their number:</p><ol>${marks.map(describe).join("")}</ol>`}
${behind("Heat map", tableOf(grid))}`;
}

function describe({ name, capacity, refill, perMs }: LimitMark): string {
  return `<li>${escaped(name)}: ${capacity} at once, ${refill} in ${perMs / 1_000} s</li>`;
}

function tableOf({ capacities, shares, frontiers }: Grid): string {
  const heads = ["refill", ...capacities.map(short), ...frontiers.map(({ name }) => name)];
  return table(
    heads,
    shares.map((row, rate) => {
      return [rateName(rate), ...row.map(percent), ...frontiers.map((line) => String(line.capacities[rate]))];
    }),
  );
}

function rateName(rate: number): string {
  const { refill, per } = RATES[rate]!;
  return `${short(refill)}/${per.slice(1)}`;
}

function short(count: number): string {
  return count >= 1_000 ? `${count / 1_000}k` : String(count);
}

function stepOf(share: number): number {
  return STEPS.findLastIndex((least) => share >= least);
}

/** Between the middles of the columns, by the logarithm. */
function xOf(capacity: number, capacities: readonly number[]): number {
  return Math.round(LEFT + (placeAmong(capacity, capacities) + 0.5) * CELL);
}

function yOf(unitsPerMs: number): number {
  const rates = RATES.map(({ refill, perMs }) => refill / perMs);
  return Math.round((placeAmong(unitsPerMs, rates) + 0.5) * ROW);
}

function placeAmong(value: number, ascending: readonly number[]): number {
  const last = ascending.length - 1;
  const above = ascending.slice(1, -1).findIndex((least) => value < least);
  const index = above < 0 ? last - 1 : above;
  const [from = 1, to = 1] = ascending.slice(index, index + 2);
  return Math.min(last + 0.4, Math.max(-0.4, index + Math.log(value / from) / Math.log(to / from)));
}
