import { useLayoutEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import type { Point } from "../snapshot.ts";
import { clock, Table } from "./text.tsx";

/** The color is a class of the style sheet. */
type Line = readonly [name: string, color: string, read: (point: Point) => number | null];

interface Props {
  readonly title: string;
  readonly points: readonly Point[];
  /** The table has each second that is a multiple of so many. */
  readonly every: number;
  readonly lines: readonly Line[];
  readonly show: (value: number | null) => string;
}

const HEIGHT = 168;

/** Lines over time, and behind them the table of their numbers. */
export function Chart({ title, points, every, lines, show }: Props) {
  const figure = useRef<HTMLElement>(null);
  const [isTable, showTable] = useState(false);
  // The plot is made anew each second, so that it has the width and the colors of then.
  useLayoutEffect(() => {
    const data = [points.map(({ atMs }) => atMs / 1_000), ...lines.map(([, , read]) => points.map(read))];
    const box = figure.current?.querySelector<HTMLElement>(".plot") ?? document.body;
    const plot = new uPlot(optionsOf(box, show), data as uPlot.AlignedData, box);
    return () => plot.destroy();
  });
  const last = points.at(-1);
  const columns = lines.map(([name, , read]) => [name, (point: Point) => show(read(point))] as const);
  return (
    <figure ref={figure}>
      <figcaption>
        {title}
        {lines.map(([name, color, read]) => (
          <span class={color}>
            {" "}
            — {name} <b>{show(last === undefined ? null : read(last))}</b>
          </span>
        ))}
      </figcaption>
      <div class="plot quiet" role="img" aria-label={`${title}: the table below has its numbers`} />
      <details onToggle={(event) => showTable(event.currentTarget.open)}>
        <summary>{title} as a table</summary>
        {isTable && (
          <Table
            caption={title}
            columns={{ Time: ({ atMs }: Point) => clock(atMs), ...Object.fromEntries(columns) }}
            rows={points.filter(({ atMs }) => Math.round(atMs / 1_000) % every === 0).toReversed()}
            id={({ atMs }) => String(atMs)}
            empty="No numbers yet"
          />
        )}
      </details>
    </figure>
  );
}

/** The colors are those of the caption, of the box, and of the figure's border. */
function optionsOf(box: HTMLElement, show: Props["show"]): uPlot.Options {
  const names = [...(box.parentElement?.querySelectorAll("figcaption span") ?? [])];
  const { color: stroke, fontFamily } = getComputedStyle(box);
  const grid = getComputedStyle(box.parentElement ?? box).borderTopColor;
  const axis: uPlot.Axis = {
    stroke,
    font: `12px ${fontFamily}`,
    grid: { stroke: grid, width: 1 },
    ticks: { show: false },
  };
  return {
    width: box.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [
      { ...axis, grid: { show: false }, values: "{HH}:{mm}:{ss}", space: 80, size: 28 },
      { ...axis, size: 52, values: (_plot, values) => values.map(show) },
    ],
    series: [
      {},
      ...names.map((name) => ({ stroke: getComputedStyle(name).color, width: 1.5, points: { show: false } })),
    ],
  };
}
