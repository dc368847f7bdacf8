import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { clock, Table } from "./text.tsx";

export interface Line {
  readonly name: string;
  /** A custom property of the style sheet. */
  readonly color: string;
  readonly isDashed?: boolean;
  readonly values: readonly (number | null)[];
}

interface Props {
  readonly title: string;
  /** In seconds since the epoch. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  readonly show: (value: number | null) => string;
}

const HEIGHT = 168;

/** Lines over time, and behind them the table of their numbers. */
export function Chart({ title, times, lines, show }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const data = [times, ...lines.map(({ values }) => values)] as unknown as uPlot.AlignedData;
  const latest = useRef(data);
  latest.current = data;
  const names = lines.map(({ name }) => name).join();
  const [isTable, showTable] = useState(false);

  // The plot is made once, and gets new numbers below.
  useEffect(() => {
    const element = box.current ?? document.body;
    const draw = (): void => {
      plot.current?.destroy();
      plot.current = new uPlot(optionsOf(lines, element.clientWidth, show), latest.current, element);
    };
    draw();
    const colors = matchMedia("(prefers-color-scheme: dark)");
    colors.addEventListener("change", draw);
    const widths = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height: HEIGHT }));
    widths.observe(element);
    return () => {
      colors.removeEventListener("change", draw);
      widths.disconnect();
      plot.current?.destroy();
    };
  }, [names]);

  useEffect(() => plot.current?.setData(data));

  return (
    <figure>
      <figcaption>
        {title}
        {lines.map(({ name, color, isDashed, values }) => (
          <span class={`legend ${color} ${isDashed === true ? "dashed" : ""}`}>
            {name} <b>{show(values.at(-1) ?? null)}</b>
          </span>
        ))}
      </figcaption>
      <div class="plot" ref={box} role="img" aria-label={`${title}: the table below has its numbers`} />
      <details onToggle={(event) => showTable(event.currentTarget.open)}>
        <summary>{title} as a table</summary>
        {isTable && (
          <Table
            caption={title}
            columns={["Time", ...lines.map(({ name }) => name)]}
            rows={times
              .map((time, i) => ({
                id: String(time),
                cells: [clock(time * 1_000), ...lines.map(({ values }) => show(values[i] ?? null))],
              }))
              .toReversed()}
            empty="No numbers yet"
          />
        )}
      </details>
    </figure>
  );
}

function optionsOf(lines: readonly Line[], width: number, show: (value: number | null) => string): uPlot.Options {
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
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: { y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [
      { ...axis, grid: { show: false }, values: "{HH}:{mm}:{ss}", space: 80, size: 28 },
      { ...axis, size: 52, values: (_plot, values) => values.map(show) },
    ],
    series: [
      {},
      ...lines.map(({ color: name, isDashed = false }) => ({
        stroke: color(name),
        width: 1.5,
        points: { show: false },
        ...(isDashed ? { dash: [4, 4] } : {}),
      })),
    ],
  };
}
