import { linearAxis, logAxis, valueText } from "./axis.ts";
import type { Panel } from "./dashboard.ts";
import type { Series } from "./prometheus.ts";
import { type Box, COLORS, line, type Place, pathOf, text } from "./svg.ts";

/** A series of a panel, with its name in the legend. */
export interface NamedSeries {
  readonly name: string;
  readonly points: Series["points"];
}

/** The time that a picture shows, in seconds. */
export interface Span {
  readonly fromS: number;
  readonly toS: number;
  readonly stepS: number;
}

export type PlotArea = Box;

const GRID = "#e8eaed";
const FAINT = "#6b7280";

/** Draws the series of a panel with their axes. */
export function drawChart(panel: Panel, series: readonly NamedSeries[], span: Span, area: PlotArea): string {
  const { unit = "short", max, mappings = [], custom } = panel.fieldConfig?.defaults ?? {};
  const isStacked = custom?.stacking.mode === "normal";
  const layers = isStacked ? stacked(series, span) : series.map(({ points }) => points);
  const values = layers.flat().flatMap(([, value]) => (Number.isFinite(value) ? [value] : []));
  const axis = custom?.scaleDistribution.type === "log" ? logAxis(values) : linearAxis(values, unit, max);
  const place = ([seconds, value]: readonly [number, number]): Place => ({
    x: area.x + ((seconds - span.fromS) / (span.toS - span.fromS)) * area.width,
    y: area.y + area.height * (1 - axis.position(value)),
  });
  const names = mappings[0]?.options;
  const labels = axis.ticks.map((tick) => ({ tick, label: names?.[String(tick)]?.text ?? valueText(tick, unit) }));
  const shown = names === undefined ? labels : labels.filter(({ tick }) => Number.isInteger(tick));
  const grid = shown.map(({ tick, label }) => {
    const { y } = place([span.fromS, tick]);
    const left = { x: area.x, y };
    const style = { size: 10, fill: FAINT, anchor: "end" } as const;
    return line(left, { x: area.x + area.width, y }, GRID) + text(label, { x: area.x - 6, y: y + 3 }, style);
  });
  const gap = (span.stepS * 1.5 * area.width) / (span.toS - span.fromS);
  const lines = layers.map((points, index) => drawLayer(points.map(place), gap, COLORS[index % COLORS.length]!));
  const areas = layers.map((points, index) =>
    isStacked ? drawArea(points, layers[index - 1], place, COLORS[index % COLORS.length]!, span) : "",
  );
  return [...grid, ...drawTimes(span, area), ...areas, ...lines].join("");
}

function drawTimes(span: Span, area: PlotArea): string[] {
  const length = span.toS - span.fromS;
  return [0, 1, 2, 3, 4].map((quarter) => {
    const x = area.x + (quarter / 4) * area.width;
    const label = `${Math.round((quarter / 4) * length)} s`;
    return text(label, { x, y: area.y + area.height + 14 }, { size: 10, fill: FAINT, anchor: "middle" });
  });
}

/** A line that is broken where values are missing. */
function drawLayer(points: readonly Place[], gap: number, color: string): string {
  const pieces: Place[][] = [[]];
  for (const point of points.filter(({ y }) => Number.isFinite(y))) {
    const before = pieces.at(-1)?.at(-1);
    if (before !== undefined && point.x - before.x > gap) pieces.push([]);
    pieces.at(-1)?.push(point);
  }
  const path = pieces.map(pathOf).join("");
  return `<path d="${path}" fill="none" stroke="${color}" stroke-width="1.5" stroke-linejoin="round"/>`;
}

type Points = NamedSeries["points"];

function drawArea(
  points: Points,
  below: Points | undefined,
  place: (point: readonly [number, number]) => Place,
  color: string,
  { fromS, toS }: Span,
): string {
  const floor: Points = below ?? [
    [fromS, 0],
    [toS, 0],
  ];
  const outline = [...points.map(place), ...floor.map(place).toReversed()];
  return `<path d="${pathOf(outline)}Z" fill="${color}" fill-opacity="0.25"/>`;
}

/** Each series on top of those before it. Where a series has no value it adds nothing. */
function stacked(series: readonly NamedSeries[], { fromS, toS, stepS }: Span): Points[] {
  const steps = Math.floor((toS - fromS) / stepS) + 1;
  const sums = Array.from({ length: steps }, () => 0);
  return series.map(({ points }) => {
    for (const [seconds, value] of points) {
      const step = Math.round((seconds - fromS) / stepS);
      if (Number.isFinite(value) && step < steps) sums[step]! += value;
    }
    return sums.map((sum, step) => [fromS + step * stepS, sum] as const);
  });
}
