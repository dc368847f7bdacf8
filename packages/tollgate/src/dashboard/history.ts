import type { Point } from "./snapshot.ts";

const SECONDS = 300;
const HOUR = 360;
const COARSE_MS = 10_000;

/** The last five minutes by the second, and the last hour by ten seconds. */
export class History {
  readonly seconds: Point[] = [];
  readonly hour: Point[] = [];
  /** Those of the ten seconds that are not over. */
  #open: Point[] = [];

  add(point: Point): void {
    keep(this.seconds, point, SECONDS);
    const last = this.#open.at(-1);
    if (last !== undefined && Math.floor(last.atMs / COARSE_MS) !== Math.floor(point.atMs / COARSE_MS)) {
      keep(this.hour, meanOf(this.#open, last), HOUR);
      this.#open = [];
    }
    this.#open.push(point);
  }
}

function keep(points: Point[], point: Point, most: number): void {
  if (points.push(point) > most) points.shift();
}

/** Its times are those of the last point, which are of several seconds. */
function meanOf(points: readonly Point[], last: Point): Point {
  const mean = (name: "admitted" | "denied" | "degraded" | "shadow") =>
    Math.round((points.reduce((sum, point) => sum + point[name], 0) / points.length) * 10) / 10;
  return {
    ...last,
    admitted: mean("admitted"),
    denied: mean("denied"),
    degraded: mean("degraded"),
    shadow: mean("shadow"),
  };
}
