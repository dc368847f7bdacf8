import type { Load } from "./loads.ts";

/** Units that each node admitted in each tenth of a second, under one strategy. */
export interface Drawn {
  readonly strategy: string;
  readonly pictures: readonly (readonly number[])[];
}

const WIDTH = 640;
const [LEFT, RIGHT, TOP] = [56, 12, 34];
const PANEL = { height: 80, gap: 26 } as const;
/** Tenths of a second that are shown. */
const SLOTS = 60;
const SLOTS_A_SECOND = 10;
/** One for each node, light and dark enough for both backgrounds. */
const COLOURS = ["#3b82c4", "#e08a2e", "#4f9d5b", "#a066b8"];
const STYLE = "text{font:12px sans-serif;fill:#777}path{stroke:none}line{stroke:#777}";

/** A picture of a load as SVG: for each strategy what the nodes admitted over time, one above the other. */
export function drawLoad({ title, capacity }: Load, strategies: readonly Drawn[]): string {
  const most = Math.max(capacity, ...strategies.flatMap(({ pictures }) => totalsOf(pictures))) * 1.05;
  const height = TOP + strategies.length * (PANEL.height + PANEL.gap);
  const panels = strategies.map((drawn, i) => {
    return panelOf(drawn, capacity, most, TOP + i * (PANEL.height + PANEL.gap));
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img">`,
    `<title>${title}: units admitted a second, by node, over ${SLOTS / SLOTS_A_SECOND} seconds</title>`,
    `<style>${STYLE}</style>`,
    `<text x="${LEFT}" y="16">${title}: admitted a second, nodes 1 to 4 on top of each other</text>`,
    ...panels,
    "</svg>\n",
  ].join("\n");
}

function panelOf({ strategy, pictures }: Drawn, capacity: number, most: number, top: number): string {
  const bottom = top + PANEL.height;
  const yOf = (perSecond: number) => bottom - (perSecond / most) * PANEL.height;
  let below = new Array<number>(SLOTS).fill(0);
  const areas = pictures.map((picture, node) => {
    const above = below.map((units, slot) => units + (picture[slot] ?? 0) * SLOTS_A_SECOND);
    const path = areaOf(above.map(yOf), below.map(yOf));
    below = above;
    return `<path fill="${COLOURS[node % COLOURS.length]}" d="${path}"/>`;
  });
  const limit = round(yOf(capacity));
  const right = WIDTH - RIGHT;
  return [
    ...areas,
    `<line x1="${LEFT}" y1="${bottom}" x2="${right}" y2="${bottom}"/>`,
    `<line x1="${LEFT}" y1="${limit}" x2="${right}" y2="${limit}" stroke-dasharray="4 3"/>`,
    `<text x="${LEFT - 4}" y="${limit + 4}" text-anchor="end">${capacity.toLocaleString("en")}</text>`,
    `<text x="${LEFT}" y="${bottom + 14}">${strategy}</text>`,
  ].join("\n");
}

/** Steps from left to right along the upper edge, and back along the lower one. */
function areaOf(upper: readonly number[], lower: readonly number[]): string {
  const xOf = (slot: number) => round(LEFT + (slot / SLOTS) * (WIDTH - LEFT - RIGHT));
  const forth = stepsOf(upper, (slot) => xOf(slot + 1));
  const back = stepsOf(lower.toReversed(), (slot) => xOf(SLOTS - 1 - slot));
  return `M${xOf(0)} ${Math.round(lower[0]!)}${forth}${back}Z`;
}

/** Equal heights in a row are one step. */
function stepsOf(heights: readonly number[], endOf: (slot: number) => number): string {
  const rounded = heights.map((y) => Math.round(y));
  return rounded.map((y, slot) => (y === rounded[slot + 1] ? "" : `V${y}H${endOf(slot)}`)).join("");
}

function totalsOf(pictures: readonly (readonly number[])[]): number[] {
  return Array.from({ length: SLOTS }, (_, slot) => {
    return pictures.reduce((sum, picture) => sum + (picture[slot] ?? 0) * SLOTS_A_SECOND, 0);
  });
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}
