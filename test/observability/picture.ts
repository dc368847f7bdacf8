import { drawChart, type NamedSeries, type PlotArea, type Span } from "./chart.ts";
import { legendOf, type Panel, withVariables } from "./dashboard.ts";
import type { Prometheus } from "./prometheus.ts";
import { COLORS, rect, text } from "./svg.ts";

const COLUMNS = 24;
const WIDTH = 1_600;
const COLUMN = WIDTH / COLUMNS;
const LINE = 28;
const GAP = 6;
const PANEL_FILL = "#ffffff";
const BACKGROUND = "#f4f5f5";
const INK = "#24292e";
const FAINT = "#6b7280";

/** Draws the dashboard from what Prometheus has of a time, at the places that Grafana gives its panels. */
export async function drawDashboard(
  panels: readonly Panel[],
  prometheus: Prometheus,
  span: Span,
  rateInterval: string,
): Promise<string> {
  const bottom = Math.max(...panels.map(({ gridPos: { y, h } }) => y + h));
  const parts: string[] = [];
  for (const panel of panels) {
    const series = await seriesOf(panel, prometheus, span, rateInterval);
    parts.push(panel.type === "row" ? drawRow(panel) : drawPanel(panel, series, span));
  }
  const size = `width="${WIDTH}" height="${bottom * LINE}" viewBox="0 0 ${WIDTH} ${bottom * LINE}"`;
  const font = 'font-family="Inter, Helvetica, Arial, DejaVu Sans, sans-serif"';
  const background = rect({ x: 0, y: 0, width: WIDTH, height: bottom * LINE }, BACKGROUND);
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="The dashboard" ${size} ${font}>\n${background}\n${parts.join("\n")}\n</svg>\n`;
}

async function seriesOf(
  { targets = [] }: Panel,
  prometheus: Prometheus,
  { fromS, toS, stepS }: Span,
  rateInterval: string,
): Promise<NamedSeries[]> {
  const series: NamedSeries[] = [];
  for (const target of targets) {
    const found = await prometheus.queryRange(withVariables(target.expr, rateInterval), fromS, toS, stepS);
    series.push(...found.map(({ labels, points }) => ({ name: legendOf(target, labels), points })));
  }
  return series.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function drawRow({ title, gridPos: { x, y } }: Panel): string {
  return text(title, { x: x * COLUMN + 10, y: y * LINE + 20 }, { size: 14, fill: INK, weight: 600 });
}

function drawPanel(panel: Panel, series: readonly NamedSeries[], span: Span): string {
  const { x, y, w, h } = panel.gridPos;
  const box = {
    x: x * COLUMN + GAP / 2,
    y: y * LINE + GAP / 2,
    width: w * COLUMN - GAP,
    height: h * LINE - GAP,
  };
  const legend = drawLegend(series, box);
  const area: PlotArea = {
    x: box.x + 56,
    y: box.y + 34,
    width: box.width - 70,
    height: box.height - 60 - legend.height,
  };
  return [
    `<g>${rect(box, PANEL_FILL, { rx: 3, stroke: "#e0e2e5" })}`,
    text(panel.title, { x: box.x + 10, y: box.y + 20 }, { size: 12, fill: INK, weight: 600 }),
    drawChart(panel, series, span, area),
    `${legend.svg}</g>`,
  ].join("\n");
}

const CHARACTER = 5.6;
const LEGEND_LINE = 14;
const LEGEND_LINES = 2;

/** The names of the series below the chart, in two lines: what does not fit is counted. */
function drawLegend(series: readonly NamedSeries[], box: PlotArea): { readonly svg: string; readonly height: number } {
  const rows: { name: string; color: string; x: number }[][] = [[]];
  let at = 0;
  for (const [index, { name }] of series.entries()) {
    const shown = name.trim() === "" ? "value" : name;
    const width = shown.length * CHARACTER + 22;
    if (at + width > box.width - 20 && at > 0) {
      if (rows.length === LEGEND_LINES) break;
      rows.push([]);
      at = 0;
    }
    rows.at(-1)?.push({ name: shown, color: COLORS[index % COLORS.length]!, x: box.x + 12 + at });
    at += width;
  }
  const top = box.y + box.height - rows.length * LEGEND_LINE;
  const items = rows.flatMap((row, line) =>
    row.map(({ name, color, x }) => {
      const y = top + line * LEGEND_LINE;
      return (
        rect({ x, y: y - 1, width: 10, height: 3 }, color) +
        text(name, { x: x + 14, y: y + 4 }, { size: 10, fill: FAINT })
      );
    }),
  );
  return { svg: items.join(""), height: rows.length * LEGEND_LINE };
}
