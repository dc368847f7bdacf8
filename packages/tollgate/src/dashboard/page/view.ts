import type { DashboardEvent, Point, Snapshot, Welcome } from "../snapshot.ts";

/** What the page has got so far. */
export interface View {
  readonly welcome: Welcome;
  readonly snapshot: Snapshot;
  /** The last five minutes, by the second. */
  readonly seconds: readonly Point[];
  /** The last hour, by ten seconds. */
  readonly hour: readonly Point[];
  /** The latest first. */
  readonly events: readonly DashboardEvent[];
}

/** What a screen gets. */
export interface Shown {
  readonly view: View;
  /** Tells what was done. */
  readonly say: (text: string) => void;
  readonly showKeys: (shown: boolean) => void;
}

const MINUTES_MS = 5 * 60_000;
const HOUR_MS = 60 * 60_000;
const STEP_MS = 10_000;
const MOST_EVENTS = 200;

const since = (points: readonly Point[], fromMs: number): readonly Point[] =>
  points.filter(({ atMs }) => atMs > fromMs);

/** The view after another snapshot. Without one before, the welcome has what came earlier. */
export function withSnapshot(before: View | undefined, welcome: Welcome, snapshot: Snapshot): View {
  const { seconds, hour, events } = before ?? { ...welcome, events: welcome.events.toReversed() };
  const { point } = snapshot;
  const latest = [...since(seconds, point.atMs - MINUTES_MS), point];
  const isStep = point.atMs - (hour.at(-1)?.atMs ?? 0) >= STEP_MS;
  return {
    welcome,
    snapshot,
    seconds: latest,
    hour: isStep ? [...since(hour, point.atMs - HOUR_MS), mean(point.atMs, since(latest, point.atMs - STEP_MS))] : hour,
    events: [...snapshot.events.toReversed(), ...events].slice(0, MOST_EVENTS),
  };
}

/** Rates are means, and times are those of the slowest second. */
function mean(atMs: number, points: readonly Point[]): Point {
  const meanOf = (read: (point: Point) => number): number =>
    points.reduce((sum, point) => sum + read(point), 0) / points.length;
  const slowestOf = (read: (point: Point) => number | null): number | null => {
    const times = points.map(read).filter((time) => time !== null);
    return times.length === 0 ? null : Math.max(...times);
  };
  return {
    atMs,
    admitted: meanOf(({ admitted }) => admitted),
    denied: meanOf(({ denied }) => denied),
    degraded: meanOf(({ degraded }) => degraded),
    shadow: meanOf(({ shadow }) => shadow),
    p50Ms: slowestOf(({ p50Ms }) => p50Ms),
    p99Ms: slowestOf(({ p99Ms }) => p99Ms),
  };
}
