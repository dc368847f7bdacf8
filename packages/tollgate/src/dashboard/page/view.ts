import type { DashboardEvent, Point, Snapshot, Welcome } from "../snapshot.ts";

/** What the page has got so far. */
export interface View {
  readonly welcome: Welcome;
  readonly snapshot: Snapshot;
  /** The last hour. */
  readonly points: readonly Point[];
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

const MOST_POINTS = 3_600;
const MOST_EVENTS = 200;

/** The view after another snapshot. Without one before, the welcome has what came earlier. */
export function withSnapshot(before: View | undefined, welcome: Welcome, snapshot: Snapshot): View {
  const { points, events } = before ?? { ...welcome, events: welcome.events.toReversed() };
  return {
    welcome,
    snapshot,
    points: [...points, snapshot.point].slice(-MOST_POINTS),
    events: [...snapshot.events.toReversed(), ...events].slice(0, MOST_EVENTS),
  };
}
