import { h, type VNode } from "vue";
import type { State } from "./state.ts";
import { type Lane, spanMs } from "./timeline.ts";

const WIDTH = 600;
const HEIGHT = 90;
const FLOOR = 70;
const ROW = 82;
const MOST_EDGES = 60;

/** Units left over time as a line, and below it each arrival: a bar if admitted, a cross if denied. */
export function chart(lane: Lane, { arrivals, windowSeconds }: State, nowMs: number): VNode {
  const span = spanMs({ arrivals, windowSeconds });
  const x = (ms: number) => round((ms / span) * WIDTH);
  const y = (units: number) => round(FLOOR - (units / lane.capacity) * (FLOOR - 6));
  const next = lane.nextPassMs(nowMs);
  const mark = (kind: string, at: number) => h("line", { class: kind, x1: x(at), x2: x(at), y1: 0, y2: HEIGHT });
  const marks = [mark("now", nowMs), ...(next > nowMs && next <= span ? [mark("next", next)] : [])];
  const edges = Array.from({ length: Math.min(span / windowSeconds / 1_000 - 1, MOST_EDGES) }, (_, index) =>
    mark("edge", (index + 1) * windowSeconds * 1_000),
  );
  const label = `${lane.algorithm}: ${lane.admittedCount} of ${arrivals.length} calls admitted`;
  return h("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label }, [
    ...edges,
    h("path", { class: "level", d: stepsOf(lane.levels, x, y, WIDTH) }),
    h("path", { class: "admitted", d: arrivalsPath(lane, arrivals, true, x) }),
    h("path", { class: "denied", d: arrivalsPath(lane, arrivals, false, x) }),
    ...marks,
  ]);
}

/** A line that keeps each level until the next one. */
export function stepsOf(
  levels: Lane["levels"],
  x: (ms: number) => number,
  y: (units: number) => number,
  end: number,
): string {
  const steps = levels.map(([at, left], index) => (index === 0 ? `M${x(at)} ${y(left)}` : `H${x(at)}V${y(left)}`));
  return `${steps.join("")}H${end}`;
}

function arrivalsPath(
  lane: Lane,
  arrivals: readonly number[],
  wasAdmitted: boolean,
  x: (ms: number) => number,
): string {
  const places = new Set(arrivals.filter((_, index) => lane.admitted[index] === wasAdmitted).map(x));
  const shape = wasAdmitted ? "v-8" : "m-3 -7l6 6m0 -6l-6 6";
  return [...places].map((place) => `M${place} ${ROW + (wasAdmitted ? -3 : 6)}${shape}`).join("");
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
