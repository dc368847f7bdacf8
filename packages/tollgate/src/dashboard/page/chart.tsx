import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import type { Point } from "../snapshot.ts";
import { clock, Table } from "./text.tsx";

/** The color is a custom property of the style sheet. */
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
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const data = [points.map(({ atMs }) => atMs / 1_000), ...lines.map(([, , read]) => points.map(read))];
  const last = points.at(-1);
  const latest = useRef(data);
  latest.current = data;
  const [isTable, showTable] = useState(false);

  // The plot is made once for its colors and its width, and gets new numbers below.
  useEffect(() => {
    const element = box.current ?? document.body;
    const draw = (): void => {
      plot.current?.destroy();
      plot.current = new uPlot(
        optionsOf(lines, element.clientWidth, show),
        latest.current as uPlot.AlignedData,
        element,
      );
    };
    const colors = matchMedia("(prefers-color-scheme: dark)");
    colors.addEventListener("change", draw);
    const widths = new ResizeObserver(draw);
    widths.observe(element);
    return () => {
      colors.removeEventListener("change", draw);
      widths.disconnect();
      plot.current?.destroy();
    };
  }, []);

  useEffect(() => plot.current?.setData(data as uPlot.AlignedData));

  const columns = lines.map(([name, , read]) => [name, (point: Point) => show(read(point))] as const);
  return (
    <figure>
      <figcaption>
        {title}
        {lines.map(([name, color, read]) => (
          <span class={color}>
            {" "}
            — {name} <b>{show(last === undefined ? null : read(last))}</b>
          </span>
        ))}
      </figcaption>
      <div class="plot" ref={box} role="img" aria-label={`${title}: the table below has its numbers`} />
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

function optionsOf(lines: readonly Line[], width: number, show: Props["show"]): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(`--${name}`);
  const axis: uPlot.Axis = {
    stroke: color("quiet"),
    font: `12px ${style.fontFamily}`,
    grid: { stroke: color("line"), width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [
      { ...axis, grid: { show: false }, values: "{HH}:{mm}:{ss}", space: 80, size: 28 },
      { ...axis, size: 52, values: (_plot, values) => values.map(show) },
    ],
    series: [{}, ...lines.map(([, name]) => ({ stroke: color(name), width: 1.5, points: { show: false } }))],
  };
}
